"""Every file that a command reads: a valid sample, how to damage it, and the reader."""

from __future__ import annotations

import functools
import json
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from PIL import Image
from tests.fuzz import mutations
from tests.report import recipe_samples, samples
from tests.verify import walks

from envwright.agents.base import Allowance, Task, TaskKind
from envwright.agents.mailbox import MailboxAgent
from envwright.agents.prices import LIST_PRICES, load_prices
from envwright.agents.proxy.exchanges import Exchange, read_exchanges
from envwright.agents.replay import ReplayAgent
from envwright.core.outside_rooms import room_in
from envwright.core.registry import make
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.report import page, results
from envwright.report.pictures import file_uri
from envwright.report.run_page import build_run_page
from envwright.schema.divergence import Divergence, Trace, load_divergence
from envwright.schema.json_records import read_json
from envwright.schema.recording import RecordedOptimisation, Recording, load_recording
from envwright.sim.records import Fields
from envwright.sim.registered import require_registered
from envwright.train import PPOConfig, RunSpec, load_policies
from envwright.train.checkpoint import Checkpoint, Checkpoints
from envwright.train.log import METRICS, RunLog, read_progress
from envwright.train.policy import Policies
from envwright.train.ppo import PPO
from envwright.train.run import read_spec
from envwright.translate.listing import all_rows
from envwright.translate.run.turns import HINT, read_hint
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run
from envwright.verify.golden import load_golden, save_golden
from envwright.verify.pair import PairSpec
from envwright.verify.recorded import compare_recorded, record_answers
from envwright.verify.replay import replay
from envwright.verify.traces.kinds import RoomTraces, find_traces
from envwright.zoo.gameboy import emberkeep
from envwright.zoo.gameboy.checks.frame_traces import FRAME_TRACES
from envwright.zoo.gameboy.settings import DESCRIPTIONS, read_settings
from envwright.zoo.pokemon.checks.battle_traces import BATTLES
from envwright.zoo.tcgpocket.checks.game_traces import GAMES as CARD_GAMES
from envwright.zoo.tcgpocket.checks.game_traces import Script
from envwright.zoo.tcgpocket.checks.traces import Start
from envwright.zoo.tcgpocket.decks import around

ROOT = Path(__file__).parents[2]
LAMP = ROOT / "tests" / "translate" / "lamp"


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    make: Callable[[Path], Path]  # writes a valid sample into an empty folder
    damage: Callable[[bytes, mutations.Choose], bytes]
    read: Callable[[Path], object]  # what commands do with the file
    refuses: bool = True  # whether most damage makes it unreadable


# --- TOML -------------------------------------------------------------------------------------


def _translation(folder: Path) -> Path:
    shutil.copytree(LAMP, folder, dirs_exist_ok=True)
    return folder / "translation.toml"


def _copy(source: Path, folder: Path) -> Path:
    return Path(shutil.copy(source, folder))


def _rich_translation(folder: Path) -> Path:
    """Every table that a `translation.toml` may have."""
    path = _translation(folder)
    path.write_text(path.read_text() + RICH)
    return path


RICH = """
[l4]
margin = 5.0
why = "a test"
seeds = 4
stages = [0.1, 1.0]
episodes = 20
horizon = 50
alpha = 0.05
train = { rollout = 8 }

[train]
num_envs = 8
rollout = 16
network = "16x16"
learning_rate = 1e-3
options = { dtype = "float32", unless = "backend" }

[budget]
dollars = 1.5
tokens = 1000
iterations = 7
minutes = 2.5
per_level = 3

[[probes]]
level = 2
run = "probes:check"
mutants = { episodes = 3 }
takes = ["episodes"]
recalled = true

[adequacy]
mutate = ["env.py"]
exclude = ["render"]
more = "tables:mutants"
checks = ["float64"]
sizes = { visited = 3 }
equivalent = [{ mutant = "env.py 3", proof = "a test" }]
unreachable = [{ gap = "env.py:3 true", proof = "a test" }]
"""


def _package(folder: Path) -> Path:
    """A folder whose `pyproject.toml` declares a room."""
    code = folder / "src" / "lamp_of_the_fuzz"
    code.mkdir(parents=True)
    (code / "__init__.py").write_text("")
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "lamp"\nversion = "1"\n\n[project.entry-points."envwright.rooms"]\n'
        'lamp_of_the_fuzz = "lamp_of_the_fuzz:ROOM"\n'
    )
    return folder / "pyproject.toml"


def _declared(path: Path) -> None:
    """Find the room of a folder; there is no code, so that nothing is opened."""
    before = list(sys.path)
    try:
        room_in(path.parent)
    except EnvwrightError as error:
        if "has no attribute 'ROOM'" not in str(error):
            raise
    finally:
        sys.path[:] = before


# --- divergences ------------------------------------------------------------------------------

STEPS = samples.divergence(
    twin=samples.REFERENCE,
    tolerances={"default": {"atol": 1e-5, "ulp": 0, "why": "a test"}, "fields": {}},
    actions=[1, 0],
)


def _divergence(folder: Path, **changes: Any) -> Path:
    """A divergence of CartPole with itself, which replays in milliseconds."""
    found = Divergence.from_json({**STEPS, **changes})
    return Path(found.save(folder).path)


def _first_format(folder: Path) -> Path:
    path = folder / "first.npz"
    np.savez(path, divergence=np.array(json.dumps({"format": 1, **STEPS, "start": None})))
    return path


def _trace(folder: Path) -> Path:
    changes = {"room": "nothing", "trace": "battle", "start": {"seed": 1}, "kind": "trace"}
    kept = ("seed", "lane", "actions", "origin", "raised", "hint", "path")
    shared = {k: v for k, v in STEPS.items() if k in kept or k in _OF_ALL}
    return Path(Divergence.from_json({**shared, **changes}).save(folder).path)


_OF_ALL = ("level", "reference", "twin", "field", "reference_value", "twin_value", "tolerance",
           "step")  # fmt: skip


def _room_trace(room: str, name: str, start: Fields, actions: list[Any], folder: Path) -> Path:
    shared = {k: v for k, v in STEPS.items() if k in _OF_ALL or k in ("origin", "raised", "hint")}
    given = {"room": room, "trace": name, "start": start, "actions": actions}
    return Path(Trace(**{**shared, **given}).save(folder).path)


def _decoded(path: Path) -> None:
    """Decode a trace as its room does, and let references that need no download play it."""
    saved = load_divergence(path)
    assert isinstance(saved, Trace)
    traces = find_traces(saved)
    if not isinstance(traces, RoomTraces):
        return
    try:
        script = traces.script(saved.start or {}, saved.actions)
        if traces is CARD_GAMES:
            with traces.recorder() as record:
                record(script)
    except EnvwrightError:
        raise
    except Exception as error:  # as `replay` does
        raise EnvwrightError(f"{path} cannot be replayed: {error}") from error


CARDS = [around(number, random.Random(number)) for number in (1, 2)]
TRACES: dict[str, tuple[str, str, Fields, list[Any]]] = {
    "games": (
        CARD_GAMES.room,
        CARD_GAMES.name,
        *CARD_GAMES.saved(
            Script(Start(decks=tuple((deck.cards, deck.types) for deck in CARDS)), [0, 0])
        ),
    ),
    "frames": (
        FRAME_TRACES.room,
        FRAME_TRACES.name,
        {"part": np.array(""), "seed": np.array(1), "cgb": np.array(False)},
        [[0, 1], [16, 0]],
    ),
    "battles": (
        BATTLES.room,
        BATTLES.name,
        {"seed": np.array("sodium,00"), "teams": np.array(["a|||b|c||||||", "d|||e|f||||||"])},
        [[0, 0], [1, 1]],
    ),
}


def _recorded(folder: Path) -> Path:
    """What the tests of a package compare: steps and episodes of a walk with chance."""
    pair = PairSpec(walks.icy_walk, walks.TapedWalk, walks.Dice()).open()
    table = record_answers(pair)
    pair.close()
    assert table is not None
    np.savez(folder / "recorded.npz", **{str(name): array for name, array in table.items()})
    return folder / "recorded.npz"


def _compared(path: Path) -> None:
    compare_recorded(PairSpec("python:nowhere:Gone", walks.TapedWalk, walks.Dice()), path)


def _replayed(path: Path) -> None:
    divergence = load_divergence(path)
    assert isinstance(str(divergence), str) and divergence.to_json()
    replay(divergence)


# --- results ----------------------------------------------------------------------------------

GOLDEN = {
    "kind": "golden", **{k: STEPS[k] for k in (*_OF_ALL, "origin", "raised", "hint")}
}  # fmt: skip


def _result(data: dict[str, Any], folder: Path) -> Path:
    if data["kind"] == "play":
        Image.new("RGB", (4, 4)).save(folder / data["image"])
    return samples.put(folder / "result.json", data)


def _verification() -> dict[str, Any]:
    """A comparison with divergences that are shown and not replayed, for time."""
    foreign = {**STEPS, "twin": "python:nowhere:Nothing"}
    return samples.port_verification([GOLDEN | {"level": 1}, foreign | {"level": 2}])


def _reported(path: Path) -> None:
    """What `envwright report` and `envwright results` do, but for the script of the charts."""
    found = results.read_results(path.parent)
    text = page.build_page(found, path.parent / "report.html")
    assert "</html>" in text and text.encode()


# --- training ---------------------------------------------------------------------------------

OBS, ACTIONS = Box(-1, 1, (3,)), Discrete(2)
CONFIG = PPOConfig(network="4x4", num_envs=2, rollout=2, minibatches=1)


@functools.cache
def _agents() -> Policies:
    ppo = PPO(CONFIG, OBS, ACTIONS)
    shapes = jax.eval_shape(jax.vmap(ppo.init), jax.random.split(jax.random.key(0), 2))
    agent = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)
    return Policies("envwright:cartpole", CONFIG, (3, 8), 4096, ppo, agent)


def _run(path: Path) -> None:
    require_registered([read_spec(path.parent).simulator], path)


def _line(update: int) -> dict[str, Any]:
    return {
        "update": update, "steps": 64 * update, "seconds": 0.5, "steps_per_second": 128.0,
        "episodes": [1, 0], "return": [0.5, None], "length": [7.0, None], "entropy": [0.5, 0.25],
    }  # fmt: skip


def _metrics(folder: Path) -> Path:
    (folder / METRICS).write_text("".join(f"{json.dumps(_line(n))}\n" for n in (1, 2, 3)))
    return folder / METRICS


def _checkpoints(folder: Path) -> Checkpoints:
    return Checkpoints(folder / "checkpoints", warn=lambda sentence: None)


def _checkpoint(name: str, folder: Path) -> Path:
    progress = {"seconds": 0.5, "curve": [_line(1)]}
    _checkpoints(folder).save(Checkpoint(4, {"a": jax.numpy.arange(3)}, b"lanes", progress))
    return folder / "checkpoints" / "0000000004" / name


def _resumed(path: Path) -> None:
    found = _checkpoints(path.parents[2]).newest({"a": jax.numpy.arange(3)})
    assert found is not None
    read_progress(found.progress)


def _progress(path: Path) -> None:
    """The progress alone: in a checkpoint, any damage to it is seen by its digest first."""
    data = read_json(path, "the progress of a training run")
    try:
        read_progress(data)
    except ValueError as error:  # `train` names the checkpoint
        raise EnvwrightError(str(error)) from error


# --- the recipe -------------------------------------------------------------------------------


def _recording(kind: type[Recording], folder: Path) -> Path:
    source = next(iter(sorted((ROOT / "recordings").glob(f"*/{kind.file}"))))
    data = json.loads(source.read_text())
    data["turns"] = data["turns"][:2]
    (folder / kind.file).write_text(json.dumps(data))
    return folder / kind.file


def _repeated(kind: type[Recording], path: Path) -> None:
    """Load a recording and let it answer, as `--agent replay` does."""
    recording = load_recording(path.parent, kind)
    agent = ReplayAgent(recording)
    agent.describe()
    for number, turn in enumerate(recording.turns, 1):
        workspace = path.parent / "workspace"
        workspace.mkdir(exist_ok=True)
        task = Task(
            number, TaskKind.TRANSLATE, turn.purpose, "", workspace, path.parent, Allowance()
        )
        agent.ask(task)


def _journal(name: str, folder: Path) -> Path:
    return recipe_samples.whole_run(folder / "lamp").folder / name


def _run_page(path: Path) -> None:
    """What `envwright runs` and `envwright report --run` do with a run."""
    folder = path.parent if path.parent.name != "optimise" else path.parent.parent
    all_rows(folder.parents[2])
    assert build_run_page(open_run(folder), folder / "run.html").text.encode()


def _hint(folder: Path) -> Path:
    (folder / HINT).write_text("The level counts twice: über.\n")
    return folder / HINT


def _letter(folder: Path) -> Path:
    place = folder / "001"
    place.mkdir()
    (place / "prompt.md").write_text("Translate.")
    (place / "answer.md").write_text("tokens: 1,200 in, 34 out\nWrote `heat.py`.\n")
    return place / "answer.md"


def _answered(path: Path) -> None:
    """What a run does with the answer of a person, or of another program."""
    folder = path.parents[1]
    task = Task(1, TaskKind.TRANSLATE, "translate", "", folder, folder, Allowance())
    answer = MailboxAgent(folder).ask(task)
    assert json.dumps([answer.text, answer.usage.to_json()]).encode()
    if answer.status != "ok":
        raise EnvwrightError(answer.reason)


def _exchanges(folder: Path) -> Path:
    asked = Exchange(
        1, "2026-01-02", 0.5, "openai", "POST", "/v1", "m", "k", {"a": [1]}, 200, "text", "hello"
    )
    (folder / "exchanges.jsonl").write_bytes(asked.to_line() * 2)
    return folder / "exchanges.jsonl"


# --- pictures and ROMs ------------------------------------------------------------------------


def _picture(folder: Path) -> Path:
    samples.animation(folder / "play.webp", frames=2)
    return folder / "play.webp"


def _embedded(path: Path) -> None:
    try:
        file_uri(path)
    except ValueError as error:
        raise EnvwrightError(str(error)) from error


def _console(path: Path) -> None:
    env = make("gameboy", num_envs=1, rom=path, game="plain", threads=1)
    env.reset(0)
    env.step([0])


RESULTS: dict[str, dict[str, Any]] = {
    "verify": _verification(),
    "transfer": samples.transfer_verification(),
    "mutate": samples.mutation(),
    "coverage": samples.coverage(),
    "bench": samples.bench(),
    "breakdown": samples.breakdown(),
    "train": samples.training(),
    "play": samples.play("play.webp"),
    "elo": json.loads((ROOT / "benchmarks" / "tcgpocket-elo.json").read_text()),
    "optimisation": recipe_samples.optimisation(),
    "ablation": recipe_samples.ablation(),
}
FORMATS: dict[str, Format] = {
    "translation": Format(_translation, mutations.damaged_toml, load_spec),
    "rich-translation": Format(_rich_translation, mutations.damaged_toml, load_spec),
    "package": Format(_package, mutations.damaged_toml, _declared),
    "game": Format(
        functools.partial(_copy, DESCRIPTIONS / "emberkeep.toml"),
        mutations.damaged_toml,
        read_settings,
    ),
    "prices": Format(functools.partial(_copy, LIST_PRICES), mutations.damaged_toml, load_prices),
    "steps": Format(_divergence, mutations.damaged_npz, _replayed),
    "law": Format(
        functools.partial(_divergence, kind="law"), mutations.damaged_npz, load_divergence
    ),
    "vector": Format(
        functools.partial(_divergence, kind="vector", lane=0, actions=[[1], [0]]),
        mutations.damaged_npz,
        _replayed,
    ),
    "first-format": Format(_first_format, mutations.damaged_npz, _replayed),
    "trace": Format(_trace, mutations.damaged_npz, load_divergence),
    **{
        f"trace-{name}": Format(
            functools.partial(_room_trace, *given), mutations.damaged_npz, _decoded
        )
        for name, given in TRACES.items()
    },
    "policies": Format(
        lambda folder: _agents().save(folder / "p.npz"),
        mutations.damaged_npz,
        lambda path: load_policies(path, OBS, ACTIONS),
    ),
    "golden": Format(
        lambda folder: (
            save_golden(folder / "g.npz", [({"a": np.array(1.0)}, {"b": np.array(2)})] * 3)
            or folder / "g.npz"
        ),
        mutations.damaged_npz,
        load_golden,
    ),
    "recorded": Format(_recorded, mutations.damaged_npz, _compared),
    "run": Format(
        lambda folder: RunSpec("envwright:cartpole").stored.save(folder),
        mutations.damaged_json,
        _run,
    ),
    "metrics": Format(
        _metrics, mutations.damaged_jsonl, lambda path: RunLog(path.parent, 2).close()
    ),
    "manifest": Format(
        functools.partial(_checkpoint, "manifest.json"), mutations.damaged_json, _resumed
    ),
    "progress": Format(
        functools.partial(_checkpoint, "progress.json"), mutations.damaged_json, _progress
    ),
    **{
        kind.file.removesuffix(".json"): Format(
            functools.partial(_recording, kind),
            mutations.damaged_json,
            functools.partial(_repeated, kind),
        )
        for kind in (Recording, RecordedOptimisation)
    },
    "journal": Format(
        functools.partial(_journal, "journal.jsonl"), mutations.damaged_jsonl, _run_page
    ),
    "optimise-journal": Format(
        functools.partial(_journal, "optimise/journal.jsonl"), mutations.damaged_jsonl, _run_page
    ),
    "hint": Format(_hint, mutations.damaged_text, lambda path: read_hint(path.parent)),
    "letter": Format(_letter, mutations.damaged_text, _answered, refuses=False),
    "exchanges": Format(
        _exchanges, mutations.damaged_jsonl, lambda path: list(read_exchanges(path))
    ),
    "picture": Format(_picture, mutations.damaged_bytes, _embedded),
    "rom": Format(functools.partial(_copy, emberkeep.ROM), mutations.damaged_bytes, _console),
    **{
        f"result-{name}": Format(
            functools.partial(_result, data), mutations.damaged_json, _reported
        )
        for name, data in RESULTS.items()
    },
}
