"""The journal and the store: whole lines, whole files, or none."""

from __future__ import annotations

import pytest

from envwright.errors import EnvwrightError
from envwright.translate.journal import Journal, Store


def test_events_come_back_in_order(tmp_path):
    journal = Journal(tmp_path / "j.jsonl", clock=lambda: 12.3456)
    journal.append("asked", turn=1, purpose="translate")
    journal.append("answered", text="ä\nb", files={})
    again = Journal(tmp_path / "j.jsonl")
    assert [(e.kind, e.time, e.data) for e in again.events] == [
        ("asked", 12.346, {"turn": 1, "purpose": "translate"}),
        ("answered", 12.346, {"text": "ä\nb", "files": {}}),
    ]
    assert again.of("answered")[0]["text"] == "ä\nb"


@pytest.mark.parametrize("cut", range(1, 30, 4))
def test_a_line_that_was_cut_off_was_never_written(tmp_path, cut):
    path = tmp_path / "j.jsonl"
    journal = Journal(path)
    journal.append("first", n=1)
    whole = path.read_bytes()
    journal.append("second", n=2)
    path.write_bytes(path.read_bytes()[:-cut])
    again = Journal(path)
    assert [e.kind for e in again.events] == ["first"]
    assert len(path.read_bytes()) > len(whole), "who only reads changes nothing"
    again.append("third", n=3)
    assert path.read_bytes().startswith(whole)
    assert [e.kind for e in Journal(path).events] == ["first", "third"]


def test_a_line_that_is_no_event_is_named(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_text('{"kind": "a", "time": 1}\nnonsense\n')
    with pytest.raises(EnvwrightError, match=r"j\.jsonl:2"):
        Journal(path)


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/passwd", "../out", "src/../../out", "", "a\0b"),
        *("src/p//etc/passwd", "src/p/./a.py", "./a", "a/", "//a", "src/p//"),
    ],
)
def test_an_event_names_no_file_outside_the_workspace(tmp_path, path):
    journal = tmp_path / "j.jsonl"
    Journal(journal).append("edited", files={path: None})
    with pytest.raises(EnvwrightError, match=r"j\.jsonl:1: .*is not a file below the workspace"):
        Journal(journal)


@pytest.mark.parametrize(
    ("field", "value"),
    [("turn", "one"), ("usage", {"prompt": "x"}), ("levels", [9]), ("levels", []), ("files", [])],
)
def test_an_event_with_a_field_of_another_type_is_named(tmp_path, field, value):
    journal = tmp_path / "j.jsonl"
    Journal(journal).append("asked", **{field: value})
    with pytest.raises(EnvwrightError, match=rf"j\.jsonl:1: this line is not an event.*{field}"):
        Journal(journal)


@pytest.mark.parametrize("seconds", ["-1", "1e17", "NaN", "Infinity"])
def test_an_event_has_a_time_that_is_a_date(seconds, tmp_path):
    journal = tmp_path / "j.jsonl"
    journal.write_text(f'{{"kind": "asked", "time": {seconds}}}\n')
    with pytest.raises(EnvwrightError, match="this line is not an event"):
        Journal(journal)


@pytest.mark.parametrize(
    "field", [{"spec": "../../x"}, {"prompt": "/etc/passwd"}, {"files": {"a": "../b"}}]
)
def test_an_event_names_nothing_outside_of_the_store(field, tmp_path):
    journal = tmp_path / "j.jsonl"
    Journal(journal).append("asked", **field)
    with pytest.raises(EnvwrightError, match="this line is not an event"):
        Journal(journal)


def test_the_store_gives_back_what_it_was_given(tmp_path):
    store = Store(tmp_path / "objects")
    name = store.put(b"code")
    assert store.put(b"code") == name and store.get(name) == b"code"
    assert len(list((tmp_path / "objects").iterdir())) == 1


def test_a_damaged_store_is_noticed(tmp_path):
    store = Store(tmp_path)
    name = store.put(b"code")
    (tmp_path / name).write_bytes(b"other")
    with pytest.raises(EnvwrightError, match="was changed"):
        store.get(name)
    (tmp_path / name).unlink()
    with pytest.raises(EnvwrightError, match="is missing"):
        store.get(name)
