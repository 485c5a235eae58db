"""Decode answers: who, which card, which slot."""

from __future__ import annotations

from typing import Any

import numpy as np

from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask
from envwright.zoo.tcgpocket.contract.state import CARDS
from envwright.zoo.tcgpocket.engine.kit import Kit, lowest, pick
from envwright.zoo.tcgpocket.engine.packing import Fields
from envwright.zoo.tcgpocket.engine.rows import Need
from envwright.zoo.tcgpocket.engine.state import NO_CARD, State, tree
from envwright.zoo.tcgpocket.engine.tables import CARD
from envwright.zoo.tcgpocket.engine.targets import bare, bits_of, evolves, fitting


@tree
class Answer:
    """One answer in each lane; all [B]."""

    ask: Any  # the question, 0 in idle lanes
    asked: Any
    count: Any
    mask: Any
    action: Any
    card: Any  # own card that is played, NO_CARD if none
    card_facts: Fields  # of it, `tables.CARD`
    card_words: Any  # of it, [3, B] of `tables.SLOT`
    slot: Any  # 0 to 3 that was chosen, on either side
    own: Any  # bool: on the side of the player who was asked

    def main(self, first: int, count: int = 1) -> Any:
        """Return whether the turn's player did one of some actions."""
        return (self.ask == Ask.MAIN) & (self.action >= first) & (self.action < first + count)


def decode(k: Kit, s: State, go: Any, action: Any) -> Answer:
    """Decode an answer and clear the question."""
    xp = k.xp
    ask = xp.where(go, s.ask, Ask.NOTHING)
    played = (action >= actions.PLAY) & (action < actions.PLAY + CARDS)
    pending = (ask == Ask.EVOLVE) | (ask == Ask.TOOL) | (ask == Ask.TRAINER)
    free = (ask == Ask.MAIN) | (ask == Ask.SETUP_ACTIVE) | (ask == Ask.SETUP_BENCH)
    card = xp.where(pending, s.ask_card, xp.where(free & played, action - actions.PLAY, NO_CARD))
    word = xp.where(card < CARDS, pick(k, s.me.cards, card), 0)
    facts = Fields(CARD, word[None])
    chosen = action - actions.CHOOSE_SLOT
    main_slot = xp.where(
        action >= actions.DISCARD_FOSSIL,
        action - actions.DISCARD_FOSSIL,
        xp.where(
            action >= actions.ABILITY,
            action - actions.ABILITY,
            xp.where(
                action >= actions.RETREAT, action - actions.RETREAT + 1, action - actions.ATTACH
            ),
        ),
    )
    slot = xp.where(ask == Ask.MAIN, main_slot, chosen) & 3
    ask, slot = _only_target(k, s, ask, slot, played, facts)
    answer = Answer(
        ask=ask,
        asked=s.asked,
        count=s.ask_count,
        mask=s.ask_mask,
        action=action,
        card=card,
        card_facts=facts,
        card_words=k.rows(k.tables.slot, facts.number),
        slot=slot.astype(np.int32),
        own=(chosen >= 0) & (chosen < 4),
    )
    answered = go & (s.ask != Ask.NOTHING)
    for name, nothing in (
        ("ask", 0), ("asked", 0), ("ask_card", NO_CARD), ("ask_count", 0), ("ask_mask", 0),
    ):  # fmt: skip
        setattr(s, name, xp.where(answered, nothing, getattr(s, name)))
    return answer


def _only_target(
    k: Kit, s: State, ask: Any, slot: Any, played: Any, card: Fields
) -> tuple[Any, Any]:
    """Play a card onto its only target without a question [C6]."""
    xp = k.xp
    evolution, tool = card.need == Need.EVOLUTION, card.need == Need.TOOL
    bits = xp.where(
        evolution,
        bits_of(evolves(k, s, card.fits)),
        xp.where(tool, bits_of(bare(s)), bits_of(fitting(k, s, card.need))),
    )
    question = xp.where(evolution, Ask.EVOLVE, xp.where(tool, Ask.TOOL, Ask.TRAINER))
    single = (ask == Ask.MAIN) & played & (bits != 0) & ((bits & (bits - 1)) == 0)
    return xp.where(single, question, ask), xp.where(single, lowest(k, bits), slot)


def put_question(
    k: Kit, s: State, when: Any, ask: int, asked: Any = 0, card: Any = NO_CARD, count: Any = 0,
    mask: Any = 0,
) -> None:  # fmt: skip
    """Ask a question in some lanes."""
    values = {"ask": ask, "asked": asked, "ask_card": card, "ask_count": count, "ask_mask": mask}
    for name, value in values.items():
        setattr(s, name, k.xp.where(when, value, getattr(s, name)).astype(np.int32))
