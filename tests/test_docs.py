"""The pages tell the truth about files and commands."""

import re
from pathlib import Path

import pytest

from envwright.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
VERBS = {command.name for command in app.registered_commands}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_verb_of_a_page_is_a_command(page):
    verbs = re.findall(r"^(?:\$ )?envwright ([a-z-]+)", page.read_text(), re.MULTILINE)
    assert set(verbs) <= VERBS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_a_gap_to_fill(page):
    assert not re.search(r"@[A-Z]+@|TODO|FIXME", page.read_text())
