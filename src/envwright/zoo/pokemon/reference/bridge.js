// Showdown's simulator behind JSON lines: one request a line, one answer a line.
//
//   {op:"teams", seed:"1,2,3,4", count:8}                     {teams:[packed, ...]}
//   {op:"new", id:1, seed:"1,2,3,4", teams:[packed, packed]}  {snapshot}
//   {op:"step", id:1, actions:[0, 13]}                        {snapshot}
//   {op:"play", seed, teams, policy:7, records:true}          {actions, turns, winner, rng, records}
//   {op:"replay", seed, teams, actions:[[0, 8], ...]}         the same, of given actions
//     both may keep snapshots (for people), records (for comparison; see "schema") and the log
//   {op:"many", requests:[...]}                               {answers:[...]}
//   {op:"spin", steps:1000, pairs:[[packed, packed]], seed:1} {decisions, games, seconds}
//   {op:"log", id:1, from:0}                                  {log:[...]}
//   {op:"audit", seed, teams, actions}                        {wrong:[[player, action, accepted]]}
//   {op:"json", id:1}, {op:"fired", reset:true}, {op:"free", id:1}
//
// An error is answered as {error:"sentence"}; the process goes on.
'use strict';
const readline = require('readline');
const fired = process.argv.includes('--count-callbacks') ? require('./fired.js') : null;
const {Battle, PRNG, Teams, toID} = require('@pkmn/sim');
const {TeamGenerators} = require('@pkmn/randoms');
const {audit, legalActions, step} = require('./legality.js');
const {snapshot} = require('./snapshot.js');
const {pack, record, schema} = require('./record.js');

const FORMAT = 'gen9randombattle';
const LONGEST = 1100; // the simulator itself ends a battle at turn 1000
const battles = new Map();

function teams({seed, count}) {
  const generator = TeamGenerators.getTeamGenerator(FORMAT, seed);
  const seeds = new PRNG(seed);
  const made = [];
  for (let i = 0; i < count; i++) {
    generator.setSeed([0, 0, 0, 0].map(() => seeds.random(65536)).join(','));
    made.push(Teams.pack(generator.getTeam()));
  }
  return made;
}

// A set without a gender would cost a random number; a seed that is not four words would choose
// another generator.
function check({seed, teams: packed}) {
  if (!/^\d+,\d+,\d+,\d+$/.test(seed || '')) throw new Error(`the seed is four numbers like 1,2,3,4, not ${seed}`);
  for (const team of packed) {
    for (const set of Teams.unpack(team) || []) {
      if (!set.gender) throw new Error(`${set.species || set.name} has no gender; write M, F or N`);
    }
  }
}

function create(request) {
  check(request);
  const [first, second] = request.teams;
  const battle = new Battle({
    formatid: toID(FORMAT),
    seed: request.seed,
    p1: {name: 'A', team: first},
    p2: {name: 'B', team: second},
  });
  for (const side of battle.sides) {
    side.teamOrder = new Map(side.team.map((set, i) => [side.pokemon.find(p => p.set === set), i]));
  }
  return battle;
}

// A small generator of our own for policies: battles must not share its numbers.
class Choice {
  constructor(seed) {
    this.state = (Math.imul(seed, 0x9E3779B1) ^ 0x6D2B79F5) >>> 0 || 1;
  }
  below(n) {
    let x = this.state;
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return this.state % n;
  }
}

// Mostly uniform over legal actions; `attack` per cent of the time a move where one is legal.
function pick(choice, legal, attack) {
  const moves = legal.filter(action => action < 8);
  const from = moves.length && choice.below(100) < attack ? moves : legal;
  return from[choice.below(from.length)];
}

// Keeps what was asked for at the start and after each decision.
class Kept {
  constructor({snapshots, records, log}) {
    Object.assign(this, {snapshots: snapshots ? [] : null, records: records ? [] : null, log});
  }
  add(battle) {
    if (this.snapshots) this.snapshots.push(snapshot(battle));
    if (this.records) this.records.push(record(battle));
  }
  answer(battle) {
    const {turn, winner, rng} = snapshot(battle);
    return {
      turns: turn, winner, rng,
      snapshots: this.snapshots || undefined,
      records: this.records ? pack(this.records) : undefined,
      log: this.log ? battle.log.slice() : undefined,
    };
  }
}

// Plays on until `next` gives no more actions or the battle ends.
function run(request, next) {
  const battle = create(request);
  const kept = new Kept(request);
  const actions = [];
  kept.add(battle);
  while (!battle.ended) {
    const pair = next(battle, actions.length);
    if (!pair) break;
    step(battle, pair);
    actions.push(pair);
    kept.add(battle);
  }
  const answered = {actions, ...kept.answer(battle)};
  battle.destroy();
  return answered;
}

function play(request) {
  const choice = new Choice(request.policy | 0);
  const most = Math.min(request.most || LONGEST, LONGEST);
  return run(request, (battle, played) => played < most &&
    battle.sides.map(side => pick(choice, legalActions(side), request.attack | 0)));
}

const replay = request => run(request, (_, played) => request.actions[played]);

// Plays `steps` decisions of one game after another and goes on where the last call ended: what a
// benchmark times. Nothing is kept of the games.
const endless = {battle: null, games: 0};
function spin({steps, pairs, seed}) {
  const choice = new Choice(seed + endless.games);
  for (let done = 0; done < steps; done++) {
    if (!endless.battle || endless.battle.ended) {
      if (endless.battle) endless.battle.destroy();
      const number = endless.games++;
      const words = [seed & 0xffff, number & 0xffff, number >>> 16, 1].join(',');
      endless.battle = create({seed: words, teams: pairs[number % pairs.length]});
    }
    const {battle} = endless;
    step(battle, battle.sides.map(side => pick(choice, legalActions(side), 0)));
  }
  return {decisions: steps, games: endless.games, seconds: process.cpuUsage().user / 1e6};
}

function known(id) {
  const battle = battles.get(id);
  if (!battle) throw new Error(`there is no battle ${id}; open it with "new"`);
  return battle;
}

const operations = {
  teams: request => ({teams: teams(request)}),
  new: request => {
    const battle = create(request);
    battles.set(request.id, battle);
    return {snapshot: snapshot(battle)};
  },
  step: request => {
    const battle = known(request.id);
    step(battle, request.actions);
    return {snapshot: snapshot(battle)};
  },
  play,
  replay,
  spin,
  schema: () => ({schema}),
  audit: request => {
    const battle = create(request);
    for (const pair of request.actions) step(battle, pair);
    return {wrong: audit(battle)};
  },
  log: request => ({log: known(request.id).log.slice(request.from | 0)}),
  json: request => ({battle: known(request.id).toJSON()}),
  fired: request => {
    if (!fired) throw new Error('callbacks are counted only with --count-callbacks');
    return {fired: fired.counts(request.reset)};
  },
  free: request => {
    known(request.id).destroy();
    battles.delete(request.id);
    return {};
  },
  many: request => ({answers: request.requests.map(answer)}),
};

function answer(request) {
  try {
    const operation = operations[request.op];
    if (!operation) throw new Error(`unknown operation ${request.op}`);
    return operation(request);
  } catch (error) {
    return {error: error.message, stack: error.stack};
  }
}

const lines = readline.createInterface({input: process.stdin});
lines.on('line', line => process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`));
lines.on('close', () => process.exit(0));
