"""Two Pokemon exchange blows: one module of the TCG Pocket rules, as an environment of its own.

What a blow takes and what it costs is computed by the reference engine (`attack_damage`,
`counter_damage`); around it stand only turns, marks and knock-outs. Facts of the two are drawn one
by one, so that every modifier meets every other, also where no card has both.
"""

import gymnasium
import numpy as np

from envwright.zoo.tcgpocket.cards import Card, Effect, Kind
from envwright.zoo.tcgpocket.contract.chance import Chance
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import Mark
from envwright.zoo.tcgpocket.reference.damage import attack_damage, counter_damage
from envwright.zoo.tcgpocket.reference.state import Player, Pokemon, Table

ARMORS = ("", "armor", "armor_type", "arceus_armor")
PRESS, BLAZE, PASS = 0, 1, 12
BLOWS = {  # family, damage, slot that is hit, mark that is left: on whom (0 attacker), turns ahead
    2: ("", 30, 0, None),
    3: ("", 90, 0, None),
    4: ("boost_next", 40, 0, (Mark.BOOST, 0, 2)),
    5: ("frenzy", 20, 0, None),
    6: ("growl", 10, 0, (Mark.GROWL, 1, 1)),
    7: ("guard", 20, 0, (Mark.GUARD, 0, 1)),
    8: ("hit_foe_bench", 30, 1, None),
    9: ("flip_shield", 0, 0, (Mark.SHIELD, 0, 1)),
    10: ("flip_immune", 10, 0, (Mark.IMMUNE, 0, 1)),
    11: ("spikes", 20, 0, (Mark.SPIKES, 0, 1)),
}
FAMILIES = ("", "boost_next", "frenzy")  # those that change damage by themselves; others are ""
HELD = (Mark.SHIELD, Mark.IMMUNE, Mark.GUARD, Mark.SPIKES)  # marks that the target has


class BlowsEnv(gymnasium.Env):
    """Actions: press, blaze (these do not end a turn), ten attacks, pass. Both sides are played.

    Lists have an entry for each side; `marks[side][mark]` is the turn in which a mark holds, or 0.
    """

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(13)
        self.observation_space = gymnasium.spaces.Box(-1000, 1000, (46,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        draw = self.np_random.integers
        self.types = [int(n) for n in draw(0, 10, 2)]
        self.weaknesses = [int(n) for n in draw(-1, 10, 2)]
        self.hp = [10 * int(n) for n in draw(5, 21, 2)]
        self.damage = [0, 0]
        self.blazing = [int(n) for n in draw(0, 2, 2)]
        self.armors = [int(n) for n in draw(0, 4, 2)]  # which of ARMORS
        self.armor_types = [int(n) for n in draw(0, 10, 2)]
        self.armor_amounts = [10 * int(n) for n in draw(1, 5, 2)]
        self.arceus = [int(n) for n in draw(0, 2, 2)]  # 1: Arceus stands on the Bench
        self.counters = [10 * int(n) for n in draw(0, 3, 2)]
        self.helmets = [10 * int(n) for n in draw(0, 3, 2)]
        self.marks = [[0] * 8, [0] * 8]
        self.frenzy = [0, 0]
        self.press = 0
        self.blaze = 0
        self.weakness_first = int(draw(0, 2))
        self.turn = 1
        self.mover = 0
        self.time = 0
        return self._observation(), {}

    def blow(self, attacker, target, course, family, slot, base):
        """What an attack takes from its target, and what the target does back.

        attacker: type, 1 if its name is one of three, uses of frenzy, and the turns of GROWL and
        BOOST. target: weakness, armour (which of ARMORS, its type, its amount), 1 with Arceus
        beside it, damage of its ability `counter` and of its helmet (0: none), and the turns of
        SHIELD, IMMUNE, GUARD and SPIKES. course: turn, press, blaze, 1 if Weakness counts first.
        family: which of FAMILIES.
        """
        table, fallen = self._table(attacker, target, course, slot)
        dealt = attack_damage(table, FAMILIES[family], slot, base)
        return dealt, counter_damage(table, fallen) if dealt and slot == 0 else 0

    def lapse(self, marks, turn):
        """Marks of a turn that ends are gone."""
        return [[0 if mark == turn else mark for mark in side] for side in marks]

    def _table(self, attacker, target, course, slot):
        kind, blazing, frenzy, growl, boost = attacker
        weakness, armor, armor_type, amount, arceus, counter, helmet, *turns = target
        turn, press, blaze, first = course
        ability = Effect(ARMORS[armor], (armor_type, amount) if armor == 2 else (amount,))
        if counter and not armor:
            ability = Effect("counter", (counter,))
        me = Player([_card("Magmar" if blazing else "x", kind)], [0])
        me.slots[0] = Pokemon(0, me.cards[0], frenzy=frenzy)
        me.slots[0].marks[Mark.GROWL], me.slots[0].marks[Mark.BOOST] = growl, boost
        cards = [_card("y", 0, weakness, ability), _card("Arceus", 0), _card("z", 0)]
        cards.append(Card(0, "helmet", (), Kind.TOOL, effect=Effect("helmet", (helmet,))))
        foe = Player(cards, [0])
        hit = Pokemon(0, cards[0], tool=3 if helmet else None)
        for mark, when in zip(HELD, turns, strict=True):
            hit.marks[mark] = when
        foe.slots[slot], foe.slots[1 - slot] = hit, Pokemon(2, cards[2])
        if arceus:
            foe.slots[2] = Pokemon(1, cards[1])
        settings = Settings(weakness_first=bool(first))
        table = Table([me, foe], settings, Chance(0), turn=turn, press=press, blaze=blaze)
        return table, hit

    def step(self, action):
        mine, other = self.mover, 1 - self.mover
        gain = 0
        if action == PRESS:
            self.press += 10
        elif action == BLAZE:
            self.blaze += 30
        else:
            if action != PASS:
                gain = self._attack(action, mine, other)
            self.marks = self.lapse(self.marks, self.turn)
            self.press = self.blaze = 0
            self.turn += 1
            self.mover = other
        self.time += 1
        reward = float(gain if mine == 0 else -gain)
        over = any(self.damage[side] >= self.hp[side] for side in (0, 1))
        return self._observation(), reward, over, self.time >= 60, {}

    def _attack(self, action, mine, other):
        family, base, slot, mark = BLOWS[action]
        at, to = self.marks[mine], self.marks[other]
        dealt, back = self.blow(
            [
                self.types[mine],
                self.blazing[mine],
                self.frenzy[mine],
                at[Mark.GROWL],
                at[Mark.BOOST],
            ],
            [
                self.weaknesses[other],
                self.armors[other],
                self.armor_types[other],
                self.armor_amounts[other],
                self.arceus[other],
                self.counters[other],
                self.helmets[other],
                *(to[mark] for mark in HELD),
            ],
            [self.turn, self.press, self.blaze, self.weakness_first],
            FAMILIES.index(family) if family in FAMILIES else 0,
            slot,
            base,
        )
        self.damage[other] = min(self.hp[other], self.damage[other] + dealt)
        self.damage[mine] = min(self.hp[mine], self.damage[mine] + back)
        if family == "frenzy":
            self.frenzy[mine] += 1
        if mark is not None:
            which, whom, ahead = mark
            self.marks[other if whom else mine][which] = self.turn + ahead
        return dealt - back

    def _observation(self):
        values = [self.press, self.blaze, self.weakness_first, self.turn, self.mover, self.time]
        for side in (0, 1):
            values += [self.types[side], self.weaknesses[side], self.hp[side], self.damage[side]]
            values += [self.blazing[side], self.armors[side], self.armor_types[side]]
            values += [self.armor_amounts[side], self.arceus[side], self.counters[side]]
            values += [self.helmets[side], self.frenzy[side], *self.marks[side]]
        return np.array(values, np.float32)


def _card(name, kind, weakness=-1, ability=None):
    effect = Effect("", ()) if ability is None else ability
    return Card(0, name, (), Kind.POKEMON, type=kind, hp=100, weakness=weakness, effect=effect)
