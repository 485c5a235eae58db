"""Items as rows; what rows cannot say is a rule in the module of its trigger."""

from __future__ import annotations

from envwright.zoo.pokemon.effects.rows import (
    ONE_AND_HALF,
    Event,
    Fact,
    Modifier,
    Op,
    Reply,
    Row,
    Trigger,
)

ITEMS: dict[str, list[Row]] = {
    "assaultvest": [Modifier(Event.SPD, ONE_AND_HALF, 1, of_target=True)],
    "choiceband": [Modifier(Event.ATK, ONE_AND_HALF, 1)],
    "choicescarf": [Modifier(Event.SPE, ONE_AND_HALF)],
    "choicespecs": [Modifier(Event.SPA, ONE_AND_HALF, 1)],
    "eviolite": [
        Modifier(Event.DEF, ONE_AND_HALF, 2, guard=(Fact.NOT_EVOLVED,), of_target=True),
        Modifier(Event.SPD, ONE_AND_HALF, 2, guard=(Fact.NOT_EVOLVED,), of_target=True),
    ],
    "leftovers": [Reply(Trigger.RESIDUAL, Op.HEAL, 16, order=5, sub_order=4)],
    "lifeorb": [Modifier(Event.DAMAGE, 5324)],
    "rockyhelmet": [Reply(Trigger.HIT, Op.HURT, 6, on_other=True, guard=(Fact.CONTACT,), order=2)],
    "widelens": [Modifier(Event.ACCURACY, 4505, -2)],
}
