// Counts which callbacks of abilities, items, moves and conditions are called, and which of those
// calls did something. The callbacks themselves run unchanged. Loaded before any battle is made.
'use strict';
const {Dex} = require('@pkmn/sim');
const data = Dex.forGen(9).data;

const counted = new Map();

// What a callback may change besides what it returns and logs.
function trace(battle, args) {
  const [first] = args; // a table of boosts is changed in place
  const table = first && first.constructor === Object && Object.values(first).every(Number.isFinite) ? first : 0;
  const move = args.find(value => value && value.effectType === 'Move' && value.flags);
  const people = battle.sides ? battle.sides.flatMap(side => (side ? side.active : [])) : [];
  return JSON.stringify([
    battle.log.length,
    table,
    battle.event && battle.event.modifier,
    battle.prng && battle.prng.getSeed(),
    move && [move.basePower, move.type, move.accuracy, move.priority, move.flags, move.category,
      move.multihit, move.multiaccuracy, move.secondaries, move.ignoreAbility, move.critRatio, move.willCrit, move.pranksterBoosted,
      move.ignoreImmunity, move.infiltrates, move.hasBounced, move.self, move.target],
    people.map(p => p && [p.hp, p.status, p.item, p.ability, p.boosts, Object.keys(p.volatiles), p.trapped,
      p.moveSlots.map(slot => slot.disabled), p.species && p.species.id, p.types, p.statusState.time,
      p.abilityState, p.itemState, p.truantTurn].map(part => (part && part.id ? {...part, target: 0, source: 0, sourceEffect: 0} : part))),
  ], (key, value) => (key === 'target' || key === 'source' || key === 'battle' || key === 'sourceEffect' || key === 'linkedPokemon' ? undefined : value));
}

function wrap(owner, key, name) {
  const original = owner[key];
  const entry = {called: 0, acted: 0};
  counted.set(name, entry);
  owner[key] = function (...args) {
    entry.called++;
    const before = trace(this, args);
    const result = original.apply(this, args);
    const changes = result !== undefined && result !== args[0];
    if (changes || trace(this, args) !== before) entry.acted++;
    return result;
  };
}

function wrapAll(owner, name, depth = 0) {
  for (const key of Object.keys(owner)) {
    const value = owner[key];
    if (typeof value === 'function') wrap(owner, key, `${name}.${key}`);
    else if (depth < 3 && ['condition', 'self', 'secondary', 'fling'].includes(key) && value) {
      wrapAll(value, `${name}.${key}`, depth + 1);
    } else if (key === 'secondaries' && Array.isArray(value)) {
      value.forEach((effect, i) => wrapAll(effect, `${name}.secondaries${i}`, depth + 1));
    }
  }
}

for (const [kind, table] of [['ability', data.Abilities], ['item', data.Items], ['move', data.Moves],
  ['condition', data.Conditions]]) {
  for (const id of Object.keys(table)) wrapAll(table[id], `${kind}:${id}`);
}

// {"ability:intimidate.onStart": [called, acted]} of those called since the last reset.
function counts(reset) {
  const result = {};
  for (const [name, entry] of counted) {
    if (entry.called) result[name] = [entry.called, entry.acted];
    if (reset) entry.called = entry.acted = 0;
  }
  return result;
}

module.exports = {counts};
