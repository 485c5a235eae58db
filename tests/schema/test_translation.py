"""One reader for every `translation.toml`; each mistake is reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from envwright.core.bridge import Columns
from envwright.core.registry import rooms
from envwright.errors import EnvwrightError, Exit
from envwright.schema.names import join_options
from envwright.schema.tolerance import Tol
from envwright.schema.toml_file import TomlFile
from envwright.schema.translation import Check, read_translation, room_translation
from envwright.sim.targets import simulator_name
from envwright.translate.spec import load_spec
from envwright.verify.room import load_room

WHOLE = '''\
[environment]
id = "car"

[reference]
simulator = "gymnasium:MountainCar-v0"
source = "gymnasium.envs.classic_control.mountain_car:MountainCarEnv"

[target]
backend = "jax"
package = "fast_car"
entry = "Car"
constraints = [
  "one",
  "two",
]

[[modules]]
name = "rules"
file = "rules.py"
source = ["MountainCarEnv.step"]
contract = """
Lines that look like TOML are none:
[l3]
name = "env"
"""

[[modules.golden]]
target = "gymnasium.envs.classic_control.mountain_car:MountainCarEnv.step"
ours = "golden_step"
attributes = ["state"]
tolerances = [{ field = "self.state", ulp = 2, why = "cosine" }]

[[modules]]
name = "env"
file = "env.py"

[[checks]]
label = "float64"
options = { dtype = "float64" }
bridge = { state = ["position", "velocity"], time = "time" }
include_terminal = true
stray = 1.5
tolerances = [
  { field = "*", ulp = 4, why = "cosine" },
  { field = "obs", atol = 1e-6, why = "float32" },
]

[[checks]]
label = "float32"

[l1]
fuzzed = 100

[l2]
interactions = ["the wall stops the car"]

[l3]
episodes = 7

[budget]
dollars = 2
'''


@pytest.fixture
def write(tmp_path: Path):
    """Writes the whole file with something replaced, and gives its path."""

    def written(old: str = "", new: str = "") -> Path:
        before, found, after = WHOLE.rpartition(old) if old else (WHOLE, "", "")
        assert found == old
        path = tmp_path / "translation.toml"
        path.write_text(before + new + after, encoding="utf-8")
        return path

    return written


def refused(path: Path) -> str:
    """The one sentence with which a file is refused, without its folder."""
    with pytest.raises(EnvwrightError) as found:
        load_spec(path)
    assert "\n" not in str(found.value) and found.value.exit_code is Exit.BAD_INPUT
    return str(found.value).removeprefix(f"{path.parent}/")


def line_of(text: str) -> int:
    return WHOLE[: WHOLE.rindex(text)].count("\n") + 1


# --- what is right ---------------------------------------------------------------------------


def test_everything_is_read(write) -> None:
    spec = load_spec(write().parent)
    assert (spec.id, spec.version, spec.target.package) == ("car", 1, "fast_car")
    assert spec.target.constraints == ("one", "two")
    assert [m.name for m in spec.modules] == ["rules", "env"]
    golden = spec.modules[0].golden[0]
    assert golden.ours == "golden_step"
    assert golden.tolerances.of("self.state") == Tol(ulp=2, why="cosine")
    exact, default = spec.checks[1], spec.checks[0]
    assert exact.tolerances.exact
    assert default.tolerances.of("reward").ulp == 4
    assert default.tolerances.of("obs").atol == 1e-6
    assert default.include_terminal and default.stray == 1.5
    assert default.free_running is None
    assert isinstance(default.bridge, Columns)
    assert default.bridge.pairs == {"state": ("position", "velocity"), "time": "time"}
    assert spec.effort.fuzzed == 100
    assert spec.effort.episodes == 7
    assert spec.interactions == ("the wall stops the car",)
    assert (spec.budget.dollars, spec.budget.tokens, spec.budget.per_level) == (2.0, None, 50)


def test_level_4_is_verified_where_a_margin_was_fixed(write) -> None:
    assert load_spec(write()).levels == (1, 2, 3)
    path = write("[budget]", '[l4]\nmargin = 3\nwhy = "enough"\n[train]\nsteps = 64\n[budget]')
    spec = load_spec(path)
    assert spec.levels == (1, 2, 3, 4)
    assert spec.transfer is not None
    assert (spec.transfer.margin, spec.transfer.config.steps) == (3, 64)


def test_rules_in_words_need_neither_simulator_nor_checks(tmp_path: Path) -> None:
    path = tmp_path / "translation.toml"
    path.write_text(
        '[environment]\nid = "x"\n[reference]\nspecification = "rules.md"\n'
        '[target]\nbackend = "rust"\npackage = "fast_x"\nentry = "Game"\n'
        '[[modules]]\nname = "game"\nfile = "game.rs"\n'
    )
    assert "there is no file rules.md beside translation.toml" in refused(path)
    (tmp_path / "rules.md").write_text("Nothing happens.")
    assert load_spec(path).reference.simulator == ""


ROOT = Path(__file__).parents[2]
FOLDERS = ("src/envwright/zoo", "recordings", "examples", "tests")
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("translation.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_the_recipe_reads_every_file(path: Path) -> None:
    spec = load_spec(path)
    assert spec.reference == read_translation(TomlFile(path)).reference
    assert all(check.backend in (None, spec.target.backend) for check in spec.checks)
    assert spec.modules or spec.id in ("gameboy", "pokemon", "tcgpocket")  # compared by probes
    assert all(golden.ours.isidentifier() for m in spec.modules for golden in m.golden)


def test_every_room_is_among_the_files() -> None:
    read = {room.id: room_translation(room) for room in rooms()}
    assert len(read) == 6
    for name, translation in read.items():
        assert translation is not None and translation.environment.id == name


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.id)
def test_a_room_and_its_file_name_the_same_reference(room) -> None:
    translation = room_translation(room)
    assert translation is not None
    assert translation.reference.simulator == room.reference


def test_a_reference_that_is_no_simulator_leaves_its_room_without_one() -> None:
    room = next(room for room in rooms() if not room.reference)
    assert load_room(room.name).reference  # what a report shows: its package
    with pytest.raises(EnvwrightError, match=f"{room.name} names no reference; use jax or rust"):
        simulator_name(room.name, "reference")
    assert not room.owns("")


def test_the_recipe_and_verification_share_the_checks_of_a_room() -> None:
    spec = load_spec(ROOT / "src/envwright/zoo/cartpole")
    for check, pair in zip(spec.checks, load_room("cartpole").checks, strict=True):
        assert isinstance(check, Check)
        assert (pair.label, pair.tolerances) == (check.label, check.tolerances)
        assert pair.twin == join_options("envwright:cartpole", check.options)


# --- what is wrong, and where ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ('id = "car"', 'id = "Car"', 'id = "car"', "lower-case letters"),
        ('id = "car"\n', 'id = "car"\nversion = 0', "\n[reference]", "at least 1"),
        ('id = "car"', "", "[environment]", "[environment] needs 'id'"),
        ('id = "car"', 'id = "car\\n"', 'id = "car"', "lower-case letters"),
        ("fuzzed = 100", "fuzzed = 10_000_000_000", "fuzzed = 100", "at most 1000000"),
        ("episodes = 7", "episodes = 10_000_000_000", "episodes = 7", "at most 10000000"),
        ('backend = "jax"', 'backend = "c"', 'backend = "jax"', "jax or rust, not 'c'"),
        ('entry = "Car"', 'entry = "a car"', 'entry = "Car"', "a name in the code"),
        ('  "two",', "  2,", "constraints = [", "an item of 'constraints' must be a string, not 2"),
        ('file = "rules.py"', 'file = "a/b.py"', 'file = "rules.py"', "rules.py"),
        ('file = "rules.py"', 'file = "rules.rs"', 'file = "rules.py"', "ends in .py"),
        ('name = "env"', 'name = "rules"', 'name = "env"', "the name 'rules'"),
        ('file = "env.py"', 'file = "rules.py"', 'file = "env.py"', "the file 'rules.py'"),
        ('ours = "golden_step"', 'ours = "a b"', 'ours = "golden_step"', "a name in the code"),
        (
            'attributes = ["state"]',
            'atributes = ["state"]',
            "attributes =",
            "unknown key 'atributes'; did",
        ),
        ("ulp = 2, why", "ulp = 2, wy", "tolerances = [{ field", "did you mean 'why'?"),
        ('ulp = 4, why = "cosine"', "ulp = 4", "tolerances = [\n", "needs its reason"),
        (
            'field = "obs"',
            'field = "*"',
            "tolerances = [\n",
            "are for the field '*'",
        ),
        ('"position", "velocity"', "1, 2", "bridge =", "a value in 'bridge' must be a string"),
        ("include_terminal = true", "include_terminal = 1", "include_terminal", "true or false"),
        ('label = "float32"', 'label = "float64"', 'label = "float32"', "the label 'float64'"),
        ("[[checks]]", "[[chekcs]]", "[[checks]]", "did you mean 'checks'?"),
        ("fuzzed = 100", "fuzzed = -1", "fuzzed = 100", "at least 0"),
        ("episodes = 7", "episodes = 7.5", "episodes = 7", "an integer, not 7.5"),
        ("episodes = 7", "episodes = 0", "episodes = 7", "at least 1"),
        ("episodes = 7", 'policies = ["randm"]', "episodes = 7", "no policy 'randm'"),
        ("dollars = 2", "dollars = nan", "dollars = 2", "above 0"),
        ("dollars = 2", "dolars = 2", "dollars = 2", "did you mean 'dollars'?"),
        ("[budget]", "[bugdet]", "[budget]", "did you mean 'budget'?"),
        ("[budget]", "[train]\nnum_envs = 3\nrollout = 1\n[budget]", "[budget]", "does not divide"),
        ("[budget]", "[l4]\nwhy = 'x'\n[budget]", "[budget]", "'margin'"),
    ],
)
def test_a_mistake_is_told_with_its_line(write, old: str, new: str, at: str, says: str) -> None:
    told = refused(write(old, new))
    assert says in told
    assert told.startswith(f"translation.toml:{line_of(at)}: "), told


def test_what_is_not_toml_is_told_with_its_line(write) -> None:
    told = refused(write("fuzzed = 100", "fuzzed ="))
    assert told == f"translation.toml:{line_of('fuzzed')}: invalid value"


def test_the_same_function_twice_is_refused(write) -> None:
    path = write()
    again = '[[modules.golden]]\ntarget = "a:b"\nours = "golden_step"\n'
    path.write_text(WHOLE.replace('[[modules]]\nname = "env"', again + '[[modules]]\nname = "env"'))
    assert "'golden_step' must equal two functions" in refused(path)


def test_a_table_where_several_may_stand_is_told(write) -> None:
    path = write()
    path.write_text(WHOLE[: WHOLE.index("[[checks]]")] + '[checks]\nlabel = "x"\n')
    assert "write [[checks]], not [checks]" in refused(path)


@pytest.mark.parametrize("name", ['"rules"', '"rules.py"', '"fast_car"', '"Car"', '"golden_step"'])
def test_a_name_does_not_end_in_a_line_break(tmp_path: Path, name: str) -> None:
    path = tmp_path / "translation.toml"
    path.write_text(WHOLE.replace(f"= {name}", f'= {name[:-1]}\\n"', 1))
    assert " must be " in refused(path)


@pytest.mark.parametrize("lost", ["[[modules]]", "[[checks]]"])
def test_without_modules_or_checks_there_is_nothing_to_do(tmp_path: Path, lost: str) -> None:
    path = tmp_path / "translation.toml"
    head = WHOLE[: WHOLE.index(lost)]
    path.write_text(head)
    assert f"there are no {lost}" in refused(path)


def test_a_missing_or_unreadable_file_is_one_sentence(tmp_path: Path) -> None:
    assert refused(tmp_path).endswith("there is no file " + str(tmp_path / "translation.toml"))
    (tmp_path / "translation.toml").write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in refused(tmp_path / "translation.toml")


# --- lines ----------------------------------------------------------------------------------


def test_lines_inside_texts_and_lists_are_no_keys(tmp_path: Path) -> None:
    text = (
        "a = '''\n[b]\nc = 1\n'''\n"  # lines 1 to 4
        'd = """x \\\\"""  # """\n'  # 5: ends on its own line
        "e = [\n  [1, 2],\n  ['#', 3],\n]\n"  # 6 to 9
        "[b]\nc = 2\n"  # 10 and 11
        '[[f]]\n[[f]]\n"g.h" = "]"\n[[f.i]]\nj = 1\n'  # 12 to 16
        "k.l = 3\n"  # 17
    )
    path = tmp_path / "x.toml"
    path.write_text(text)
    file = TomlFile(path)
    assert file.line(("b",)) == 10
    assert file.line(("b", "c")) == 11
    assert file.line(("e",)) == 6
    assert file.line(("f", 1)) == 13
    assert file.line(("f", 1, "g.h")) == 14
    assert file.line(("f", 1, "i", 0, "j")) == 16
    assert file.line(("f", 1, "i", 0, "k", "l")) == 17
    assert file.line(("f", 1, "i", 0, "unknown")) == 15
    assert file.line(("unknown",)) == 1
