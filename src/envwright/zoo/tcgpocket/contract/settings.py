"""Settings for the rules on which sources disagree."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.errors import EnvwrightError

OPENINGS = ("redraw", "dealt")
PAYMENTS = ("chosen", "fixed")
SWITCHES = ("same_stadium", "weakness_first", "public_next_energy")


@dataclass(frozen=True)
class Settings:
    """Settings of a game; rule numbers in brackets are those of docs/tcgpocket-rules.md."""

    max_turns: int = 30  # [W4] turns of both players together
    opening: str = "redraw"  # [S3] shuffle until a Basic is in hand; or one Basic is `dealt`
    retreat_payment: str = "chosen"  # [R3] by the player, or `fixed`: the last type first
    same_stadium: bool = False  # [D3] whether a Stadium may replace one of its own name
    weakness_first: bool = False  # [A6] whether Weakness counts before reductions
    public_next_energy: bool = False  # [I4] whether the other side's next energy is seen

    def __post_init__(self) -> None:
        """Reject settings that no engine supports."""
        if type(self.max_turns) is not int or not 1 <= self.max_turns <= 99:
            raise EnvwrightError(
                f"max_turns is {self.max_turns!r}; give a whole number from 1 to 99"
            )
        for name in SWITCHES:
            if type(getattr(self, name)) is not bool:
                raise EnvwrightError(f"{name} is {getattr(self, name)!r}; give true or false")
        if self.opening not in OPENINGS:
            raise EnvwrightError(f"opening '{self.opening}' is not one of {', '.join(OPENINGS)}")
        if self.retreat_payment not in PAYMENTS:
            raise EnvwrightError(
                f"retreat_payment '{self.retreat_payment}' is not one of {', '.join(PAYMENTS)}"
            )
