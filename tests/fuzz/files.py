"""Every file that a command reads: a valid sample, how to damage it, and the reader."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from PIL import Image
from tests.fuzz import mutations
from tests.report import recipe_samples, samples

from envwright.agents.base import Allowance, Task, TaskKind
from envwright.agents.prices import LIST_PRICES, load_prices
from envwright.agents.proxy.exchanges import Exchange, read_exchanges
from envwright.agents.replay import ReplayAgent
from envwright.core.registry import make
from envwright.core.spaces import Box, Discrete
from envwright.errors import EnvwrightError
from envwright.report import page, results
from envwright.report.pictures import file_uri
from envwright.report.run_page import build_run_page
from envwright.schema.divergence import Divergence, load_divergence
from envwright.schema.json_records import read_json
from envwright.schema.recording import RecordedOptimisation, Recording, load_recording
from envwright.sim.registered import require_registered
from envwright.train import PPOConfig, RunSpec, load_policies
from envwright.train.checkpoint import Checkpoint, Checkpoints
from envwright.train.log import METRICS, RunLog, read_progress
from envwright.train.policy import Policies
from envwright.train.ppo import PPO
from envwright.train.run import read_spec
from envwright.translate.listing import all_rows
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run
from envwright.verify.golden import load_golden, save_golden
from envwright.verify.replay import replay
from envwright.zoo.gameboy import emberkeep
from envwright.zoo.gameboy.settings import DESCRIPTIONS, read_settings

ROOT = Path(__file__).parents[2]
LAMP = ROOT / "tests" / "translate" / "lamp"


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    make: Callable[[Path], Path]  # writes a valid sample into an empty folder
    damage: Callable[[bytes, mutations.Choose], bytes]
    read: Callable[[Path], object]  # what commands do with the file


# --- TOML -------------------------------------------------------------------------------------


def _translation(folder: Path) -> Path:
    shutil.copytree(LAMP, folder, dirs_exist_ok=True)
    return folder / "translation.toml"


def _copy(source: Path, folder: Path) -> Path:
    return Path(shutil.copy(source, folder))


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
