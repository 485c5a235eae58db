// Writes the generation 9 data of @pkmn/sim for a comparison of versions: for each table, id to
// [data, code]. Data has "<callback>" for each function; code is their sources.
'use strict';
const {Dex} = require('@pkmn/sim');
const dex = Dex.forGen(9);

function split(entry) {
  const code = [];
  const data = JSON.stringify(entry, (key, value) => {
    if (typeof value !== 'function') return value;
    code.push(`${key}: ${value}`);
    return '<callback>';
  });
  return [data, code.join('\n')];
}

const table = entries => Object.fromEntries(entries.map(entry => [entry.id, split(entry)]));

process.stdout.write(JSON.stringify({
  species: table(dex.species.all()),
  moves: table(dex.moves.all()),
  abilities: table(dex.abilities.all()),
  items: table(dex.items.all()),
  natures: table(dex.natures.all()),
  types: table(dex.types.all()),
  conditions: Object.fromEntries(
    Object.entries(dex.data.Conditions).map(([id, entry]) => [id, split(entry)])),
}));
