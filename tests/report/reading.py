"""A page as a tree, so that tests speak of elements and not of strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from envwright.report.run_page import build_run_page
from envwright.translate.stored_runs import open_run

EMPTY = {"meta", "link", "img", "br", "input", "circle", "path", "source"}


@dataclass
class Node:
    """An element with what is inside: texts and elements."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    inside: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Itself and all elements below."""
        yield self
        for each in self.inside:
            if isinstance(each, Node):
                yield from each.walk()

    def all(self, tag: str = "", kind: str = "") -> list[Node]:
        """Elements below, by their tag and one of their classes."""
        return [
            node
            for node in self.walk()
            if (not tag or node.tag == tag) and (not kind or kind in node.classes)
        ]

    def id(self, name: str) -> Node:
        """The one element of this id."""
        (found,) = (node for node in self.walk() if node.attributes.get("id") == name)
        return found

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def text(self) -> str:
        """All words below, with single blanks."""
        return " ".join(self.raw.split())

    @property
    def raw(self) -> str:
        return "".join(each if isinstance(each, str) else each.raw for each in self.inside)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("page")]

    def handle_starttag(self, tag, attrs):
        node = Node(tag, dict(attrs))
        self.open[-1].inside.append(node)
        if tag not in EMPTY:
            self.open.append(node)

    def handle_endtag(self, tag):
        if tag not in EMPTY:
            assert self.open[-1].tag == tag, f"<{self.open[-1].tag}> was ended by </{tag}>"
            self.open.pop()

    def handle_data(self, data):
        self.open[-1].inside.append(data)


PLOTLY = re.compile(r"<script>\s*/\*\*\s*\* plotly.*?</script>", re.DOTALL)


def read_page(text: str) -> Node:
    """The tree of a page, without the library that draws; what is not closed in order fails."""
    reader = _Reader()
    reader.feed(PLOTLY.sub("", text))
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is not closed"
    return reader.open[0]


def page_of(story) -> Node:
    """The tree of a run's page."""
    return read_page(build_run_page(open_run(story.folder), Path("run.html")).text)


def rows(table: Node) -> list[list[str]]:
    """The words of every cell."""
    return [[c.text for c in row.all() if c.tag in ("td", "th")] for row in table.all("tr")]
