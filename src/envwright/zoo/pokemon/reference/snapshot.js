// Everything of a battle that is compared, as plain data.
'use strict';
const {asked, legalActions} = require('./legality.js');

const BOOSTS = ['atk', 'def', 'spa', 'spd', 'spe', 'accuracy', 'evasion'];
const STATS = ['atk', 'def', 'spa', 'spd', 'spe'];
// Fields of a condition's state that only say who caused it or how it is stored.
const BOOKKEEPING = new Set(['id', 'target', 'sourceEffect', 'effectOrder', 'isSlotCondition']);

// A Pokemon is named by its side and its number in the team as given: parties are reordered.
function pokemonName(pokemon) {
  return `${pokemon.side.n}.${pokemon.side.teamOrder.get(pokemon)}`;
}

function scalar(value) {
  if (value === null || ['number', 'string', 'boolean'].includes(typeof value)) return value;
  if (value && value.side && value.moveSlots) return pokemonName(value);
  if (value && typeof value.id === 'string') return value.id;
  if (Array.isArray(value)) return value.map(scalar);
  return undefined;
}

function state(condition) {
  const plain = {};
  for (const key of Object.keys(condition)) {
    if (BOOKKEEPING.has(key)) continue;
    const value = scalar(condition[key]);
    if (value !== undefined) plain[key] = value;
  }
  return plain;
}

const states = conditions => Object.fromEntries(Object.entries(conditions).map(([k, v]) => [k, state(v)]));

function pokemon(p) {
  return {
    team: p.side.teamOrder.get(p),
    species: p.species.id,
    level: p.level,
    gender: p.gender,
    hp: p.hp,
    maxhp: p.maxhp,
    fainted: p.fainted,
    status: p.status,
    status_state: p.status ? state(p.statusState) : {},
    item: p.item,
    item_state: state(p.itemState),
    last_item: p.lastItem,
    ate_berry: p.ateBerry,
    item_knocked_off: p.itemKnockedOff,
    used_item: p.usedItemThisTurn,
    ability: p.ability,
    base_ability: p.baseAbility,
    ability_state: state(p.abilityState),
    types: p.types,
    added_type: p.addedType,
    tera_type: p.teraType,
    terastallized: p.terastallized || '',
    can_tera: p.canTerastallize || '',
    stats: STATS.map(stat => p.storedStats[stat]),
    moves: p.moveSlots.map(slot => [slot.id, slot.pp, slot.maxpp, slot.used]),
    base_moves: p.baseMoveSlots.map(slot => [slot.id, slot.pp]),
    transformed: p.transformed,
    illusion: p.illusion ? p.side.teamOrder.get(p.illusion) : -1,
    times_attacked: p.timesAttacked,
    times_in: p.previouslySwitchedIn,
    hero: p.heroMessageDisplayed,
    once: [p.bondTriggered, p.swordBoost, p.shieldBoost, p.syrupTriggered],
    stellar: p.stellarBoostedTypes,
    weight: p.weighthg,
    ...(p.isActive ? active(p) : {}),
  };
}

function active(p) {
  return {
    boosts: BOOSTS.map(stat => p.boosts[stat]),
    volatiles: states(p.volatiles),
    last_move: p.lastMove ? p.lastMove.id : '',
    last_move_used: p.lastMoveUsed ? p.lastMoveUsed.id : '',
    move_this_turn: p.moveThisTurn,
    move_last_turn_result: scalar(p.moveLastTurnResult),
    active_turns: p.activeTurns,
    move_actions: p.activeMoveActions,
    speed: p.speed,
    trapped: p.trapped,
    disabled: p.moveSlots.map(slot => !!slot.disabled),
    newly_switched: p.newlySwitched,
    stats_raised: p.statsRaisedThisTurn,
    stats_lowered: p.statsLoweredThisTurn,
    hurt_this_turn: p.hurtThisTurn,
    switch_flag: !!p.switchFlag,
  };
}

function side(s) {
  return {
    asked: asked(s),
    legal: legalActions(s),
    party: s.pokemon.map(pokemon),
    conditions: states(s.sideConditions),
    slot_conditions: states(s.slotConditions[0]),
    left: s.pokemonLeft,
    fainted_last_turn: s.faintedLastTurn ? s.teamOrder.get(s.faintedLastTurn) : -1,
    fainted_this_turn: s.faintedThisTurn ? s.teamOrder.get(s.faintedThisTurn) : -1,
    total_fainted: s.totalFainted,
  };
}

// The format's own rules run as pseudo-weathers without an end: no part of the game's field.
const isRule = name => /mod$|clause$|^potd$|^obtainable/.test(name);

function snapshot(battle) {
  const {field} = battle;
  const pseudo = Object.fromEntries(
    Object.entries(states(field.pseudoWeather)).filter(([name]) => !isRule(name)));
  return {
    rng: battle.prng.getSeed(),
    turn: battle.turn,
    request: battle.requestState,
    ended: battle.ended,
    winner: !battle.ended ? -1 : battle.winner ? battle.sides.findIndex(s => s.name === battle.winner) : 2,
    weather: field.weather,
    weather_state: field.weather ? state(field.weatherState) : {},
    terrain: field.terrain,
    terrain_state: field.terrain ? state(field.terrainState) : {},
    pseudo_weather: pseudo,
    last_move: battle.lastMove ? battle.lastMove.id : '',
    sides: battle.sides.map(side),
  };
}

module.exports = {snapshot, pokemonName};
