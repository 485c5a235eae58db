// A battle as one row of 16-bit numbers, for comparison in bulk. `schema` names the columns;
// numbers stand for names as in data/names.json. What a Pokemon that is not active, or has
// fainted, would hold for an active one is zero.
'use strict';
const zlib = require('zlib');
const names = require('../data/names.json');
const {ACTIONS, asked, legalActions} = require('./legality.js');

const TEAM = 6;
const MOVES = 4;
const REQUESTS = ['wait', 'move', 'switch', 'revive'];
const STATS = ['atk', 'def', 'spa', 'spd', 'spe'];
const PAIRED = 2; // values kept of a volatile besides its duration

const numbers = kind => new Map(names[kind].map((name, i) => [name, i + 1]));
const SPECIES = numbers('species');
const MOVE = numbers('moves');
const ABILITY = numbers('abilities');
const ITEM = numbers('items');
const TYPE = numbers('types');
const STATUS = numbers('statuses');
const WEATHER = numbers('weathers');
const TERRAIN = numbers('terrains');
const GENDER = numbers('genders');

const of = (map, name) => {
  if (!name || name === '???') return 0;
  const number = map.get(name);
  if (number === undefined) throw new Error(`${name} is not among the names of data/names.json`);
  return number;
};
const move = id => (id === 'recharge' ? 0 : of(MOVE, id));
const flag = value => (value ? 1 : 0);
const bits = values => values.reduce((word, value, i) => word | (value ? 1 << i : 0), 0);

// What a condition counts besides its duration.
const VALUES = {
  substitute: s => [s.hp],
  confusion: s => [s.time],
  stall: s => [s.counter],
  choicelock: s => [move(s.move)],
  encore: s => [move(s.move)],
  disable: s => [move(s.move)],
  twoturnmove: s => [move(s.move)],
  lockedmove: s => [s.trueDuration, move(s.move)],
  partiallytrapped: s => [s.boundDivisor],
  protosynthesis: s => [1 + STATS.indexOf(s.bestStat), flag(s.fromBooster)],
  quarkdrive: s => [1 + STATS.indexOf(s.bestStat), flag(s.fromBooster)],
  counter: s => [s.damage],
  mirrorcoat: s => [s.damage],
  focuspunch: s => [flag(s.lostFocus)],
  stockpile: s => [s.layers],
  metronome: s => [s.numConsecutive, move(s.lastMove)],
  furycutter: s => [s.multiplier],
  rollout: s => [s.hitCount],
};

const volatileRows = p => names.volatiles.map(name => {
  const state = p && p.volatiles[name];
  if (!state) return [0, 0, 0, 0];
  const [first = 0, second = 0] = (VALUES[name] || (() => []))(state);
  return [1, state.duration || 0, first, second];
});

const conditionRows = s => names.side_conditions.map(name => {
  const state = s.sideConditions[name];
  return state ? [state.layers || 1, state.duration || 0] : [0, 0];
});

// How many ends of turns are left until they come. Wish may bring half a point of HP: twice the
// number is kept.
const SLOT_VALUES = {
  wish: (s, battle) => [s.startingTurn + 3 - battle.turn, 2 * s.hp],
  futuremove: (s, battle) => [s.endingTurn + 2 - battle.turn, move(s.move)],
};
const slotRows = s => names.slot_conditions.map(name => {
  const state = s.slotConditions[0][name];
  return state ? [1, ...(SLOT_VALUES[name] || (() => [0, 0]))(state, s.battle)] : [0, 0, 0];
});

const statusTurns = p => (p.status === 'slp' ? p.statusState.time : p.status === 'tox' ? p.statusState.stage : 0);
const slots = p => Array.from({length: MOVES}, (_, i) => (p && p.moveSlots[i]) || null);
const acting = s => (s.active[0] && s.active[0].isActive && !s.active[0].fainted ? s.active[0] : null);

// name -> [shape below the side or party, what it is]; in the order of comparison.
const BATTLE_FIRST = {
  rng: [[4], b => b.prng.getSeed().split(',').map(Number)],
  turn: [[], b => [b.turn]],
};
const SIDE_FIRST = {
  request: [[], s => [REQUESTS.indexOf(asked(s))]],
  mask: [[], s => [legalActions(s).reduce((word, action) => word | (1 << action), 0)]],
};
const PARTY = {
  uid: [[], p => [p.side.teamOrder.get(p)]],
  species: [[], p => [of(SPECIES, p.species.id)]],
  level: [[], p => [p.level]],
  gender: [[], p => [of(GENDER, p.gender || 'N')]],
  hp: [[], p => [p.hp]],
  maxhp: [[], p => [p.maxhp]],
  fainted: [[], p => [flag(p.fainted)]],
  status: [[], p => [p.status === 'fnt' ? 0 : of(STATUS, p.status)]],
  status_turns: [[], p => [statusTurns(p)]],
  moves: [[MOVES], p => slots(p).map(slot => (slot ? move(slot.id) : 0))],
  pp: [[MOVES], p => slots(p).map(slot => (slot ? slot.pp : 0))],
  item: [[], p => [of(ITEM, p.item)]],
  last_item: [[], p => [of(ITEM, p.lastItem)]],
  base_ability: [[], p => [of(ABILITY, p.baseAbility)]],
  stats: [[STATS.length], p => STATS.map(stat => p.storedStats[stat])],
  terastallized: [[], p => [of(TYPE, p.terastallized)]],
  times_hit: [[], p => [p.timesAttacked]],
  stellar: [[], p => [p.stellarBoostedTypes.length]],
};
const ACTIVE = {
  ability: [[], p => [of(ABILITY, p.ability)]],
  types: [[3], p => [of(TYPE, p.types[0]), of(TYPE, p.types[1]), of(TYPE, p.addedType)]],
  boosts: [[names.boosts.length], p => names.boosts.map(stat => p.boosts[stat])],
  volatiles: [[names.volatiles.length, 2 + PAIRED], p => volatileRows(p).flat()],
  ability_count: [[], p => [p.abilityState.counter || p.abilityState.fallen || 0]],
  last_move: [[], p => [p.lastMove ? move(p.lastMove.id) : 0]],
  active_turns: [[], p => [p.activeTurns]],
  move_actions: [[], p => [p.activeMoveActions]],
  speed: [[], p => [p.speed]],
  trapped: [[], p => [flag(p.trapped)]],
  disabled: [[], p => [bits(p.moveSlots.map(slot => slot.disabled))]],
};
const SIDE = {
  conditions: [[names.side_conditions.length, 2], s => conditionRows(s).flat()],
  slot_conditions: [[names.slot_conditions.length, 3], s => slotRows(s).flat()],
  left: [[], s => [s.pokemonLeft]],
  fallen: [[], s => [s.totalFainted]],
  fell_last_turn: [[], s => [flag(s.faintedLastTurn)]],
};
const BATTLE = {
  weather: [[], b => [of(WEATHER, b.field.weather)]],
  weather_turns: [[], b => [b.field.weather ? b.field.weatherState.duration || 0 : 0]],
  terrain: [[], b => [of(TERRAIN, b.field.terrain)]],
  terrain_turns: [[], b => [b.field.terrain ? b.field.terrainState.duration || 0 : 0]],
  pseudo_weathers: [[names.pseudo_weathers.length],
    b => names.pseudo_weathers.map(name => (b.field.pseudoWeather[name] || {duration: 0}).duration)],
  winner: [[], b => [!b.ended ? 0 : b.winner ? 1 + b.sides.findIndex(s => s.name === b.winner) : 3]],
};

const size = shape => shape.reduce((product, n) => product * n, 1);
const columns = (table, ...lead) => Object.entries(table).map(([name, [shape]]) => [name, [...lead, ...shape]]);
const schema = [
  ...columns(BATTLE_FIRST), ...columns(SIDE_FIRST, 2), ...columns(PARTY, 2, TEAM), ...columns(ACTIVE, 2),
  ...columns(SIDE, 2), ...columns(BATTLE),
];
const WIDTH = schema.reduce((sum, [, shape]) => sum + size(shape), 0);

function record(battle) {
  const row = new Int16Array(WIDTH);
  let at = 0;
  const put = (values, [shape]) => {
    const end = at + size(shape);
    if (values) values.forEach((value, i) => { row[at + i] = value; });
    at = end;
  };
  const all = (table, owners) => {
    for (const column of Object.values(table)) for (const owner of owners) put(owner && column[1](owner), column);
  };
  const {sides} = battle;
  all(BATTLE_FIRST, [battle]);
  all(SIDE_FIRST, sides);
  all(PARTY, sides.flatMap(s => Array.from({length: TEAM}, (_, i) => s.pokemon[i] || null)));
  all(ACTIVE, sides.map(acting));
  all(SIDE, sides);
  all(BATTLE, [battle]);
  return row;
}

// Rows of one game, deflated and in base 64.
function pack(rows) {
  const buffer = Buffer.concat(rows.map(row => Buffer.from(row.buffer)));
  return zlib.deflateSync(buffer, {level: 3}).toString('base64');
}

module.exports = {schema, record, pack, ACTIONS};
