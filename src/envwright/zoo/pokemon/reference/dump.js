// Writes the generation 9 data of @pkmn/sim as one JSON object on standard output.
// Callbacks become the string "<callback>": which effects have one is data too.
'use strict';
const fs = require('fs');
const path = require('path');
const {Dex} = require('@pkmn/sim');
const dex = Dex.forGen(9);

const plain = value => JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'function' ? '<callback>' : v)));

// Conditions that code adds by a literal name, which no data field mentions.
function literalVolatiles() {
  const folder = path.join(path.dirname(require.resolve('@pkmn/sim')), '..', 'data');
  const found = new Set();
  for (const file of ['moves.js', 'abilities.js', 'items.js', 'conditions.js', 'rulesets.js']) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    for (const match of text.matchAll(/addVolatile\((['"])(\w+)\1/g)) found.add(match[2]);
  }
  return [...found];
}

// Holders from which an item cannot be taken: its own handler is asked with each species.
function keepers(item) {
  if (item.onTakeItem === undefined) return [];
  const kept = species => {
    if (typeof item.onTakeItem !== 'function') return item.onTakeItem === false;
    const holder = {baseSpecies: species};
    return item.onTakeItem.call({activeMove: {id: 'knockoff'}}, item, holder) === false;
  };
  return everySpecies().filter(kept).map(species => species.id);
}

// The list of all species leaves most cosmetic formes out; teams name them all the same.
function everySpecies() {
  const found = new Map();
  for (const species of dex.species.all()) {
    found.set(species.id, species);
    for (const name of species.cosmeticFormes || []) {
      const forme = dex.species.get(name);
      found.set(forme.id, forme);
    }
  }
  return [...found.values()];
}

// Sixteen moves share the id of Hidden Power; the plain one stands for it.
const everyMove = () => dex.moves.all().filter(move => !move.realMove);

process.stdout.write(JSON.stringify({
  species: plain(everySpecies()),
  moves: plain(everyMove()),
  abilities: plain(dex.abilities.all()),
  items: dex.items.all().map(item => ({...plain(item), keepers: keepers(item)})),
  natures: plain(dex.natures.all()),
  types: plain(dex.types.all()),
  conditions: plain(dex.data.Conditions),
  literal_volatiles: literalVolatiles(),
}));
