// Which of our 14 actions the simulator would accept, and what it is told for each.
//   0-3 a move, 4-7 the same after terastallizing, 8-12 switch to party slot 1..5, 13 wait
'use strict';

const ACTIONS = 14;
const TERA = 4;
const SWITCH = 7; // plus the party slot
const WAIT = 13;

// What a side is asked for: 'move', 'switch', 'revive' or 'wait'.
function asked(side) {
  const request = side.activeRequest;
  if (!request || request.wait || side.battle.ended) return 'wait';
  if (!request.forceSwitch) return 'move';
  return side.slotConditions[0]['revivalblessing'] ? 'revive' : 'switch';
}

// Legal actions as numbers. True legality: what is hidden from the player (a foe's trapping
// ability, a move that Imprison disables) counts, since the simulator would refuse it.
function legalActions(side) {
  const kind = asked(side);
  if (kind === 'wait') return [WAIT];
  const bench = fainted => side.pokemon.flatMap((pokemon, slot) =>
    (slot && !!pokemon.fainted === fainted ? [SWITCH + slot] : []));
  if (kind !== 'move') return bench(kind === 'revive');
  const active = side.active[0];
  return [...moveActions(side, active), ...(active.trapped ? [] : bench(false))];
}

function moveActions(side, active) {
  // A locked, recharging or struggling Pokemon is shown one move. One whose moves are all
  // disabled by something hidden is shown them, but struggles whichever is chosen.
  const shown = side.activeRequest.active[0].moves;
  const real = active.getMoves();
  const forced = active.getLockedMove() || active.getSemiLockedMove() || !real.length;
  if (forced || shown[0].id === 'struggle') return [0];
  const usable = real.flatMap((move, slot) => (move.disabled ? [] : [slot]));
  return active.canTerastallize ? [...usable, ...usable.map(slot => slot + TERA)] : usable;
}

function choiceText(action) {
  if (action < TERA) return `move ${action + 1}`;
  if (action < SWITCH + 1) return `move ${action - TERA + 1} terastallize`;
  return `switch ${action - SWITCH + 1}`;
}

// Makes both sides' choices and plays on; throws a sentence where one is refused.
function step(battle, actions) {
  battle.sides.forEach((side, index) => {
    if (asked(side) === 'wait') return;
    if (!side.choose(choiceText(actions[index]))) {
      throw new Error(`action ${actions[index]} of player ${index + 1} was refused: ${side.choice.error}`);
    }
  });
  battle.commitChoices();
}

// Where the mask and the simulator's own answer to each choice differ: [player, action, accepted].
// Trying choices tells the player what was hidden, so the battle is of no use afterwards.
function audit(battle) {
  const wrong = [];
  battle.sides.forEach((side, player) => {
    if (asked(side) === 'wait') return;
    const legal = new Set(legalActions(side));
    const one = legal.has(0) && ![1, 2, 3, 4, 5, 6, 7].some(action => legal.has(action));
    for (let action = 0; action < WAIT; action++) {
      if (one && action > 0 && action < 8) continue; // a forced move answers to any slot
      side.clearChoice();
      const accepted = side.choose(choiceText(action));
      if (accepted !== legal.has(action)) wrong.push([player, action, accepted]);
    }
    side.clearChoice();
  });
  return wrong;
}

module.exports = {ACTIONS, audit, WAIT, asked, legalActions, step};
