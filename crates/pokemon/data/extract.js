// Writes the text tables beside it from the simulator's npm package: `node extract.js <folder of @pkmn/sim>`.
// One line per entry: an id and the fields that are not at their default. Numbers of entries are
// their line numbers, 1-based (0 is none), as in the room's Python tables.
const fs = require('fs');
const path = require('path');
const { Dex } = require(path.resolve(process.argv[2]));
const dex = Dex.forGen(9);
const id = text => String(text ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '');
const ids = table => [...new Set(table.all().map(entry => entry.id))].sort();
const STATS = ['hp', 'atk', 'def', 'spa', 'spd', 'spe'];
const BOOSTS = ['atk', 'def', 'spa', 'spd', 'spe', 'accuracy', 'evasion'];

function line(name, fields) {
	const parts = [name];
	for (const [key, value] of Object.entries(fields)) {
		if (value === undefined || value === null || value === false || value === '' || value === 0) continue;
		parts.push(value === true ? key : `${key}=${Array.isArray(value) ? value.join(',') : value}`);
	}
	return parts.join(' ');
}

const boosts = table => table && BOOSTS.map(stat => table[stat] ?? 0);
const range = value => value && (Array.isArray(value) ? value : [value, value]);
const save = (name, lines) => fs.writeFileSync(path.join(__dirname, `${name}.txt`), lines.join('\n') + '\n');

/** What one part of a move (its target's, its user's, a secondary one) does. */
function part(effect, prefix) {
	return effect && {
		[`${prefix}chance`]: effect.chance,
		[`${prefix}boosts`]: boosts(effect.boosts),
		[`${prefix}status`]: id(effect.status),
		[`${prefix}volatile`]: id(effect.volatileStatus),
		[`${prefix}call`]: !!effect.onHit,
	};
}

// Conditions in play.
const CONDITIONS = `arceus attract auroraveil beakblast brn charge chillyreception choicelock confusion
curse destinybond dig disable electricterrain encore flashfire flinch fly focuspunch frz futuremove glaiverush
grassyterrain healblock healingwish leechseed lightscreen lockedmove magnetrise meteorbeam mirrorcoat
mistyterrain mustrecharge noretreat par partiallytrapped protect protosynthesis psn psychicterrain
quarkdrive raindance reflect revivalblessing roost saltcure sandstorm sleepclausemod slp snowscape
solarbeam sparklingaria spikes stall stealthrock stickyweb substitute sunnyday tailwind taunt
throatchop tox toxicspikes trapped trapper trickroom truant twoturnmove unburden wish yawn`.split(/\s+/);

/** Whether a move is more than data: it has rules of its own, or lays a condition that is not in play. */
function hasRules(m) {
	const parts = [m, m.self, ...(m.secondaries || []), ...(m.secondaries || []).map(s => s.self)].filter(Boolean);
	const laid = parts.flatMap(part => [
		part.status, part.volatileStatus, part.sideCondition, part.slotCondition, part.weather, part.terrain,
		part.pseudoWeather,
	]).filter(Boolean).map(id);
	return parts.some(part => Object.values(part).some(value => typeof value === 'function')) || !!m.condition ||
		!!m.callsMove || !!m.isNonstandard || !!m.isZ || !!m.isMax || laid.some(name => !CONDITIONS.includes(name));
}

function move(m) {
	const fields = {
		type: id(m.type), category: m.category.toLowerCase(), power: m.basePower,
		accuracy: m.accuracy === true ? 0 : m.accuracy, pp: m.pp, priority: m.priority,
		target: m.target.toLowerCase(), flags: Object.keys(m.flags).sort(),
		crit: m.critRatio === 1 ? 0 : m.critRatio, willcrit: m.willCrit, hits: range(m.multihit),
		multiaccuracy: m.multiaccuracy, drain: m.drain, recoil: m.recoil, heal: m.heal,
		damage: m.damage === 'level' ? -1 : m.damage, ohko: !!m.ohko, selfdestruct: m.selfdestruct?.toLowerCase(),
		selfswitch: m.selfSwitch === true ? 'plain' : m.selfSwitch, forceswitch: m.forceSwitch,
		breaksprotect: m.breaksProtect, thaws: m.thawsTarget, crash: m.hasCrashDamage,
		mindblown: m.mindBlownRecoil, strugglerecoil: m.struggleRecoil, steals: m.stealsBoosts,
		smart: m.smartTarget, tracks: m.tracksTarget, sleepusable: m.sleepUsable, stalling: m.stallingMove,
		calls: m.callsMove, ignoreability: m.ignoreAbility, ignoredefensive: m.ignoreDefensive,
		ignoreevasion: m.ignoreEvasion,
		ignoreimmunity: m.category !== 'Status' && m.ignoreImmunity === true,
		ignoreimmunityto: m.ignoreImmunity && m.ignoreImmunity !== true ? Object.keys(m.ignoreImmunity).map(id) : null,
		obeysimmunity: m.category === 'Status' && m.ignoreImmunity === false,
		offense: m.overrideOffensiveStat, foeoffense: m.overrideOffensivePokemon === 'target',
		defense: m.overrideDefensiveStat, sheer: m.hasSheerForceBoost, noppboosts: m.noPPBoosts,
		nonghost: !!m.nonGhostTarget, powercall: !!m.basePowerCallback,
		side: id(m.sideCondition), slot: id(m.slotCondition), weather: id(m.weather), terrain: id(m.terrain),
		pseudo: id(m.pseudoWeather), after: boosts(m.selfBoost?.boosts),
		...part({ ...m, chance: 0, onHit: null }, ''), self: !!m.self, ...part(m.self, 'self.'),
		secondaries: m.secondaries?.length, rules: hasRules(m),
	};
	m.secondaries?.forEach((secondary, i) => {
		Object.assign(fields, part(secondary, `s${i}.`), part(secondary.self, `s${i}.self.`));
		fields[`s${i}.self`] = !!secondary.self;
	});
	return line(m.id, fields);
}

// Formes that only look different are species of their own here, as in the battle.
const cosmetic = dex.species.all().flatMap(s => (s.cosmeticFormes || []).map(id));
save('species', [...new Set([...ids(dex.species), ...cosmetic])].sort().map(name => {
	const s = dex.species.get(name);
	return line(name, {
		stats: STATS.map(stat => s.baseStats[stat]), types: s.types.map(id), weight: s.weighthg,
		abilities: ['0', '1', 'H', 'S'].map(slot => id(s.abilities[slot])), gender: s.gender,
		nfe: s.nfe, num: s.num, maxhp: s.maxHP, base: id(s.baseSpecies), battleonly: id([s.battleOnly].flat()[0]),
		paradox: s.tags.includes('Paradox'),
	});
}));
save('moves', ids(dex.moves).map(name => move(dex.moves.get(name))));
save('abilities', ids(dex.abilities).map(name => {
	const a = dex.abilities.get(name);
	return line(name, { flags: Object.keys(a.flags).sort(), weatherless: a.suppressWeather });
}));
save('items', ids(dex.items).map(name => {
	const i = dex.items.get(name);
	return line(name, {
		berry: i.isBerry, gem: i.isGem, choice: i.isChoice, klutzproof: i.ignoreKlutz,
		plate: id(i.onPlate), boosts: boosts(i.boosts), zmove: !!i.zMove,
	});
}));
save('natures', dex.natures.all().map(n => n.id).sort().map(name => {
	const n = dex.natures.get(name);
	return line(name, { plus: n.plus, minus: n.minus });
}));
const chart = dex.types.all();
const types = [...chart.map(t => t.name).filter(name => name !== 'Stellar').sort(), 'Stellar'];
save('types', types.map(name => {
	const taken = dex.types.get(name).damageTaken;
	const against = value => types.filter(other => taken[other] === value).map(id);
	const immunities = Object.keys(taken).filter(key => taken[key] === 3 && !types.includes(key)).map(id);
	return line(id(name), { weak: against(1), resists: against(2), immune: against(3), unaffected: immunities });
}));

// For every effect when its callbacks run among those of others.
const condition = name => name === 'sleepclausemod' ? dex.formats.get(name) : dex.conditions.get(name);
const TYPE_ORDER = { Condition: 2, Weather: 5, Format: 5, Rule: 5, Ruleset: 5, Ability: 7, Item: 8 };
save('conditions', CONDITIONS.map(name => {
	const c = condition(name);
	return line(name, { kind: id(c.effectType || 'Condition'), duration: c.duration, nocopy: c.noCopy });
}));
const hooks = [];
function hooksOf(kind, name, effect) {
	const found = new Set();
	for (const key of Object.keys(effect)) {
		const match = /^on([A-Z]\w*?)(SubOrder|Order|Priority)?$/.exec(key);
		if (!match || /^on(Plate|Memory|Drive|Begin)$/.test(key)) continue;
		const isCallback = typeof effect[key] !== 'number';
		// `onModifyPriority` is a callback, `onModifyMovePriority` the priority of one.
		const hook = isCallback ? key.slice(2) : match[1];
		if (isCallback || /Residual$/.test(hook)) found.add(hook);
	}
	if (['ability', 'item'].includes(kind) && effect.onStart && !effect.onAnySwitchIn) found.add('SwitchIn');
	for (const hook of [...found].sort()) {
		const at = suffix => effect[`on${hook}${suffix}`] || 0;
		const special = { 'Poison Touch': 6, 'Perish Body': 6, Stall: 9 }[kind === 'ability' && effect.name];
		hooks.push(line(`${kind} ${name} ${hook}`, {
			order: at('Order'), priority: at('Priority'), sub: at('SubOrder') || special || TYPE_ORDER[effect.effectType || 'Condition'],
			empty: effect[`on${hook}`] === undefined && hook !== 'SwitchIn',
		}));
	}
}
for (const name of ids(dex.abilities)) hooksOf('ability', name, dex.abilities.get(name));
for (const name of ids(dex.items)) hooksOf('item', name, dex.items.get(name));
for (const name of CONDITIONS) hooksOf('condition', name, condition(name));
save('hooks', hooks);
