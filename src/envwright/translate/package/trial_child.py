"""Open a package and compare it with what was recorded; the last line of stderr says what fails."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from envwright.core.registry import load_attribute, open_folder
from envwright.errors import EnvwrightError
from envwright.testing import assert_golden, assert_recorded
from envwright.verify.policies import find_policy
from envwright.verify.room import load_room


def main(folder: Path, recorded: str | None, pairs: list[tuple[str, str]]) -> None:
    """Raise unless the package works by itself."""
    name = open_folder(folder).id
    room = load_room(name)
    for check in room.checks:
        if isinstance(check.bridge, str):
            load_attribute(check.bridge.removeprefix("python:"))
    for policy in room.policies:
        if policy.startswith("python:"):
            find_policy(policy)
    if recorded is not None:
        assert_recorded(name, folder / "tests/recorded.npz", recorded)
    for module, function in pairs:
        assert_golden(name, folder / f"tests/golden/{module}-{function}.npz", module, function)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
    except (AssertionError, EnvwrightError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        sys.exit(1)
    except SystemExit as error:  # 0 would mean that it works
        print(f"its code ends the process ({error.code})", file=sys.stderr)
        sys.exit(1)
