"""Make the committed card facts from a file of card data.

    python -m envwright.zoo.tcgpocket.cards.extract FILE [--texts]

The file is the JSON of card data (see docs/tcgpocket-rules.md). Texts are not kept: a digest
identifies a text, and `effects.tsv` maps digests to our effects. A card is taken if it has no
effects, or if each of its effects is known. `--texts` prints which text each effect is made from
instead, for people who check readings against the cards.
"""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from collections import Counter
from pathlib import Path

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import FACTS, LETTERS, SETS, Type

EFFECTS = FACTS.with_name("effects.tsv")
LETTER = {kind.name.title(): LETTERS[kind] for kind in Type}
STAGES = {"Basic": 0, "Stage 1": 1, "Stage 2": 2}


def digest(kind: str, text: str) -> str:
    """Return the digest of a text, the same for all spellings of minus signs and accents."""
    plain = unicodedata.normalize("NFKD", text.replace("−", "-").replace("’", "'"))
    letters = "".join(c for c in plain if not unicodedata.combining(c)).lower()
    return hashlib.sha256(f"{kind}:{' '.join(letters.split())}".encode()).hexdigest()[:16]


def known_effects(path: Path = EFFECTS) -> dict[str, str]:
    """Return our effects by the digests of texts."""
    rows = (line.split("\t") for line in path.read_text().splitlines() if line)
    return {mark: effect for mark, effect in rows}


def texts_of(card: dict) -> list[tuple[str, str]]:
    """Yield every effect text of a card with its kind: attack, ability or trainer."""
    texts = [("attack", a["effect"]) for a in card.get("attacks", []) if "effect" in a]
    if "ability" in card:
        texts.append(("ability", card["ability"]["effect"]))
    if "trainer_effect" in card:
        texts.append(("trainer", card["trainer_effect"]))
    return texts


def facts_of(card: dict, effects: dict[str, str]) -> dict | None:
    """Return a card as facts, or nothing if one of its effects is not known."""
    if any(digest(*text) not in effects for text in texts_of(card)):
        return None
    facts = {
        "number": card["id"],
        "name": card["name"],
        "prints": [f"{v['set']} {v['number']:03d}" for v in card["versions"]],
    }
    if card["card_type"] == "trainer":
        effect = effects[digest("trainer", card["trainer_effect"])]
        return facts | {"kind": card["trainer_kind"].lower(), "effect": effect}
    attacks = []
    for attack in card["attacks"]:
        cost = "".join(LETTER[kind] for kind in attack["cost"])
        effect = effects[digest("attack", attack["effect"])] if "effect" in attack else ""
        attacks.append([cost, attack["damage"], effect])
    facts |= {
        "kind": "pokemon",
        "type": LETTER[card["element"]],
        "stage": STAGES[card["stage"]],
        "hp": card["hp"],
        "retreat": card["retreat_cost"],
        "attacks": attacks,
    }
    if card.get("weakness"):
        facts["weakness"] = LETTER[card["weakness"]]
    if card.get("evolves_from"):
        facts["from"] = card["evolves_from"]
    if card["is_ex"]:
        facts["ex"] = 2 if card["is_mega"] else 1
    if "ability" in card:
        facts["ability"] = effects[digest("ability", card["ability"]["effect"])]
    return facts


def read(path: Path) -> list[dict]:
    """Read the cards of a data file, by number."""
    try:
        data = json.loads(path.read_text())
        return sorted(data.values(), key=lambda card: card["id"])
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise EnvwrightError(
            f"{path} is not a file of card data ({error}); give the JSON that maps ids to cards"
        ) from None


def sets_of(path: Path) -> str:
    """Return the text of `sets.json`: how many different cards each set has, known or not."""
    counts: Counter[str] = Counter()
    for card in read(path):
        counts.update({version["set"] for version in card["versions"]})
    return json.dumps(dict(sorted(counts.items())), indent=1) + "\n"


def extract(path: Path) -> str:
    """Return the text of `facts.json`: one card a line."""
    effects = known_effects()
    rows = [facts for card in read(path) if (facts := facts_of(card, effects))]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    return f"[\n{lines}\n]\n"


def main(arguments: list[str]) -> int:
    """Run the command: write the facts, or print the texts."""
    files = [a for a in arguments if not a.startswith("--")]
    if len(files) != 1 or set(arguments) - {*files, "--texts"}:
        print("give one file of card data, and --texts to print texts instead", file=sys.stderr)
        return 2
    try:
        if "--texts" in arguments:
            effects = known_effects()
            seen = {text for card in read(Path(files[0])) for text in texts_of(card)}
            found = sorted((effects.get(digest(*text), ""), *text) for text in seen)
            print("\n".join("\t".join(row) for row in found if row[0]))
        else:
            FACTS.write_text(extract(Path(files[0])))
            SETS.write_text(sets_of(Path(files[0])))
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
