"""Faster and still the same is kept; everything else is not, and why is said."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace

import numpy as np
import pytest
import typer
from msgspec import structs
from tests.leftovers import LEFTOVERS
from tests.translate.answers import ENV, HEAT, SRC, WRONG_END, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted

from envwright.agents.base import Answer, Usage
from envwright.cli.optimise import ENDS, optimise
from envwright.core.files import alone
from envwright.errors import EnvwrightError
from envwright.schema.tolerance import Tolerances
from envwright.schema.translation import Check
from envwright.sim.records import outcome
from envwright.sim.resolve import open_simulator
from envwright.translate.jailed import twin_for
from envwright.translate.optimise import Optimisation
from envwright.translate.optimise.trial import Trial
from envwright.translate.race import Contest, contest
from envwright.translate.race.last_step import why_unchecked, wrongly
from envwright.translate.race.loop import Way
from envwright.translate.race.starts import another_law
from envwright.translate.stored_runs import open_run

# The same heat by a detour that the compiler cannot see through.
DETOUR = """
        def detour(i, x):
            return jnp.where(x > 1e30, jnp.sin(x) + i, x)

        heat = jax.lax.fori_loop(0, 300, detour, warm(state.heat, level))
"""
SLOW = ENV.replace("        heat = warm(state.heat, level)\n", DETOUR.lstrip("\n"))
# Lanes are not stepped at all: what comes back is what went in.
CHEATING = (
    SLOW
    + """
    def step_batch(self, keys, states, actions, params=None):
        from envwright.core.env import Step
        lanes = jnp.zeros(states.level.shape, bool)
        obs = jax.vmap(self.observe)(states)
        info = {"final_observation": obs}
        return Step(obs, states, lanes.astype(jnp.float32), lanes, lanes, info)
"""
)
# Right whenever it is traced but the first time, which is for the loop.
FIRST_TRACE = (
    SLOW
    + """
    traced = 0

    def step_batch(self, keys, states, actions, params=None):
        following = super().step_batch(keys, states, actions, params)
        Lamp.traced += 1
        return following._replace(state=states) if Lamp.traced == 1 else following
"""
)
# Honest for a while after the start, then no more; the last step is honest always.
LATE = (
    SLOW
    + """
    traced = 0

    def step_batch(self, keys, states, actions, params=None):
        following = super().step_batch(keys, states, actions, params)
        Lamp.traced += 1
        if Lamp.traced > 1:
            return following
        idle = jnp.any(states.time > 12)
        stay = lambda a, b: jnp.where(idle, a, b)
        return following._replace(state=jax.tree.map(stay, states, following.state))
"""
)

# Right in every batch that a race is known to have, and nowhere else.
KNOWN_SIZES = (
    SLOW
    + """
    def step_batch(self, keys, states, actions, params=None):
        following = super().step_batch(keys, states, actions, params)
        known = states.level.shape[0] in (32, 128, 256, 512, 2048, 8192)
        return following if known else following._replace(state=states)
"""
)

# Starts of a batch, and what stands after an end, that are not the law's.
SAME = (
    ENV
    + """
    def reset_batch(self, keys, params=None):
        return super().reset_batch(jnp.broadcast_to(keys[0], keys.shape), params)
"""
)
EASY = (
    ENV
    + """
    def reset_batch(self, keys, params=None):
        obs, states = super().reset_batch(keys, params)
        return obs, State(states.level, 0.5 * states.heat, states.time)
"""
)
ANEW = (
    ENV
    + """
    def step_batch(self, keys, states, actions, params=None):
        after = super().step_batch(keys, states, actions, params)
        heat = jnp.where(after.done, 0.25, after.state.heat).astype(self.dtype)
        return after._replace(state=State(after.state.level, heat, after.state.time))
"""
)
# Other numbers than one by one, by the same law.
OTHERWISE = (
    ENV
    + """
    def reset_batch(self, keys, params=None):
        return super().reset_batch(jnp.flip(keys), params)
"""
)


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    """A verified run of the lamp that is slower than need be."""
    import sys

    from tests.translate.conftest import LAMP

    from envwright.translate.run import Run
    from envwright.translate.spec import load_spec

    folder = tmp_path_factory.mktemp("slow") / "lamp"
    shutil.copytree(LAMP, folder)
    sys.modules.pop("lamp", None)
    script = Scripted([turn(heat=HEAT), turn(env=SLOW)])
    run = Run(
        folder / "runs/a",
        load_spec(folder),
        script,
        (1, 2, 3),
        confined=REASON is None,
        seed=104_729,
    )
    assert run.go().outcome == "verified"
    yield open_run(run.folder)
    sys.modules.pop("lamp", None)


def optimised(run, script, tmp_path, **more):
    shutil.rmtree(run.folder / "optimise", ignore_errors=True)
    options = {"batches": (64, 512), "repeats": 4, "rounds": len(script), **more}
    agent = Scripted(script)
    work = Optimisation(run, agent, confined=REASON is None, **options)
    work.go()
    return work, agent


@pytest.mark.slow
def test_what_is_faster_is_kept_and_what_is_not_is_refused_with_its_reason(verified, tmp_path):
    script = [
        turn(env=SLOW + "\n# the same\n"),
        turn(env=WRONG_END),
        turn(env=ENV),
    ]
    work, agent = optimised(verified, script, tmp_path)
    same, wrong = work.history[:2]
    assert not same.kept and same.why == "it is not faster beyond the noise"
    assert not wrong.kept and wrong.why.startswith("level 1 fails")
    assert len(work.history) == 2, "two rounds without gain are enough"
    later = Optimisation(verified, agent, confined=REASON is None, rounds=3, batches=(64, 512))
    assert [str(change) for change in later.history] == [str(change) for change in work.history]


@pytest.mark.slow  # a minute: two races of whole programs
def test_a_real_gain_is_measured_and_passed_on_to_the_next_round(verified, tmp_path):
    work, agent = optimised(verified, [turn(env=ENV), turn(env=ENV + "\n# again\n")], tmp_path)
    first, second = work.history
    assert first.kept and first.gain > 1.5 and first.low > 1.0
    assert not second.kept, "a comment makes nothing faster"
    assert work.gain == pytest.approx(first.gain)
    assert "round 1" in agent.asked[1].prompt and "steps per second" in agent.asked[1].prompt
    assert (work.folder / "workspace/src/fast_lamp/env.py").read_text() == ENV


@pytest.mark.slow
def test_a_candidate_that_computes_something_else_while_it_is_timed_is_found_out(
    verified, tmp_path
):
    work, _ = optimised(verified, [turn(env=CHEATING)], tmp_path)
    (change,) = work.history
    assert not change.kept
    assert change.why.startswith("the timed run computed something else")


@pytest.mark.slow
@pytest.mark.parametrize(
    "cheat",
    [
        pytest.param(FIRST_TRACE, id="first trace"),
        pytest.param(LATE, id="late", marks=pytest.mark.slow),
    ],
)
def test_a_loop_that_does_not_do_what_its_last_step_does_is_found_out(verified, tmp_path, cheat):
    verified.spec.make_reachable()
    old, new = (
        code_of(verified, tmp_path / name, env) for name, env in (("a", SLOW), ("b", cheat))
    )
    race = contest(verified.spec, old, new, batches=(64,), repeats=2)
    assert "tracing changes the code's own variables" in race.wrong and not race.faster


@pytest.mark.slow
def test_a_candidate_also_runs_in_a_batch_that_it_does_not_know(verified, tmp_path):
    verified.spec.make_reachable()
    old, new = (
        code_of(verified, tmp_path / n, env) for n, env in (("a", SLOW), ("b", KNOWN_SIZES))
    )
    race = contest(verified.spec, old, new, batches=(32, 256), repeats=2)
    assert "lane" in race.wrong and not race.faster, race.wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(SAME, "lanes of a run of 256 start otherwise", id="all alike"),
        pytest.param(EASY, "lanes of a run of 256 start otherwise", id="easy"),
        pytest.param(ANEW, "lanes start anew otherwise than one by one: heat", id="anew"),
        pytest.param(OTHERWISE, "", id="other numbers"),
    ],
)
def test_lanes_start_by_the_law_whatever_numbers_they_draw(verified, tmp_path, code, said):
    verified.spec.make_reachable()
    old, new = (code_of(verified, tmp_path / name, env) for name, env in (("a", SLOW), ("b", code)))
    race = contest(verified.spec, old, new, batches=(256,), repeats=2)
    assert race.wrong.startswith(said) and bool(race.wrong) == bool(said), race.wrong
    assert not race.unchecked


def test_a_law_is_told_from_another():
    rng = np.random.default_rng(5)

    def drawn(count, width=1.0, cards=1000):
        return {
            "heat": rng.uniform(0, width, count).astype(np.float32),
            "card": rng.integers(0, cards, (count, 3)),
        }

    known = drawn(4096)
    for count in (40, 256, 3000):
        assert another_law(known, drawn(count)) == ""
    assert "heat[0] is" in another_law(known, drawn(256, width=0.5))
    assert "card[" in another_law(known, drawn(256, cards=600))
    assert another_law(known, {"heat": known["heat"]}) == "they do not show card"
    twice = {k: np.repeat(v, 2, axis=0) for k, v in drawn(64).items()}
    assert another_law(known, twice) == "64 of 128 are where others are, and not 0"
    still = {"level": np.zeros(4096, np.int32)}
    assert another_law(still, {"level": np.zeros(50, np.int32)}) == ""
    assert another_law(still, {"level": np.ones(50, np.int32)}) != ""


def code_of(run, folder, env):
    """The lamp with another `env.py`."""
    package = folder / "code/src/fast_lamp"
    package.mkdir(parents=True)
    (package / "heat.py").write_text(HEAT)
    (package / "env.py").write_text(env)
    return twin_for(run.spec, folder / "code", folder / "scratch", REASON is None, raced=True)


def test_the_way_of_a_loop_is_compared_with_steps_one_by_one():
    lanes, actions = np.array([3, 7]), [np.array([1, 1])] * 2
    begin = {"time": np.array([0, 37]), "x": np.array([0.5, 0.5], np.float32)}
    right = {"time": np.array([2, 0]), "x": np.array([2.0, 9.0], np.float32)}
    assert Way(begin, actions, right, lanes, 8).lost(Doubler(), Tolerances()) == ""
    near = right | {"x": np.array([np.float32(2.0) + 3e-7, 9.0], np.float32)}
    assert Way(begin, actions, near, lanes, 8).lost(Doubler(), Tolerances()) == ""
    said = Way(begin, actions, begin, lanes, 8).lost(Doubler(), Tolerances())
    assert said == "lane 3 of 8: the loop brought time to 0, not 2"
    bare = {"time": right["time"]}
    assert "lost x" in Way(begin, actions, bare, lanes, 8).lost(Doubler(), Tolerances())


class Doubler:
    """`x` doubles, and an episode ends at 38."""

    def step_many(self, states, actions):
        return [
            outcome(0, 0.0, s["time"] + 1 >= 38, False, {"time": s["time"] + 1, "x": s["x"] * 2})
            for s in states
        ]


@pytest.mark.slow
def test_a_last_step_that_hides_a_field_is_wrong(verified, tmp_path):
    verified.spec.make_reachable()
    check = verified.spec.everyday_check
    twin = code_of(verified, tmp_path, ENV)
    with twin.simulator(check) as lamp, open_simulator("python:lamp:LampEnv") as reference:
        assert why_unchecked(reference, lamp, check) == ""
        last = lamp.race(16, 9, 1)
        assert wrongly(last, reference, lamp, check) == ""
        hidden = {k: v for k, v in last.items() if k != "after.heat"}
        assert wrongly(hidden, reference, lamp, check) == "its run does not show after.heat"
        unseen = {k: v for k, v in last.items() if k != "final_obs"}
        assert "obs" in wrongly(unseen, reference, lamp, check)
        longer = lamp.race(16, 10, 1)
        same = [k for k in last if k.startswith("after.")]
        assert all(np.array_equal(last[k], longer[f"before.{k[6:]}"]) for k in same)


@pytest.mark.slow
def test_a_profile_from_the_jail_names_the_dear_line(verified, tmp_path):
    line = SLOW.splitlines().index("            return jnp.where(x > 1e30, jnp.sin(x) + i, x)") + 1
    with code_of(verified, tmp_path, SLOW).simulator(verified.spec.everyday_check) as lamp:
        text = lamp.profile(256)
    first = next(row for row in text.splitlines() if row.startswith("| ") and "share" not in row)
    assert f"env.py:{line} Lamp.transition.<locals>.detour" in first, text
    assert str(tmp_path) not in text


def test_random_steps_are_not_checked_and_that_is_said():
    with open_simulator("gymnasium:FrozenLake-v1") as lake:
        assert "random" in why_unchecked(lake, lake, Check("float32", {}))


# --- resuming ------------------------------------------------------------------------------------


class Killed(BaseException):
    """As if the process ended here."""


def again(run, agent, **more):
    """An optimisation in a process of its own; whatever was there before stays."""
    options = {"batches": (64,), "repeats": 3, "rounds": 1, **more}
    return Optimisation(run, agent, confined=REASON is None, **options)


@pytest.fixture
def unmeasured(verified, monkeypatch):
    """Nothing was optimised yet, and nobody measures anything."""
    shutil.rmtree(verified.folder / "optimise", ignore_errors=True)
    monkeypatch.setattr(Optimisation, "_prompt", lambda self, old: "faster, please")

    def tried(self, old, workspace, changed):
        return Trial(False, "nobody looked" if changed else "nothing was changed")

    monkeypatch.setattr(Optimisation, "_tried", tried)
    return verified


@pytest.mark.slow
def test_who_was_killed_in_the_race_does_not_ask_again(unmeasured, monkeypatch):
    agent = Scripted([turn(env=ENV)])
    seen = []

    def killed(self, old, workspace, changed):
        raise Killed

    def looked(self, old, workspace, changed):
        seen.append((workspace.root / "src/fast_lamp/env.py").read_text())
        return Trial(True, "faster")

    monkeypatch.setattr(Optimisation, "_tried", killed)
    with pytest.raises(Killed):
        again(unmeasured, agent).go()
    monkeypatch.setattr(Optimisation, "_tried", looked)
    work = again(unmeasured, agent)
    (change,) = work.go()
    assert change.kept and seen == [ENV] and len(agent.asked) == 1
    assert work.usage.calls == 2 and work.seconds >= 1.0


def test_what_a_patient_agent_has_done_so_far_is_kept(unmeasured):
    class Waiting(Scripted):
        def ask(self, task):
            self.asked.append(task)
            file = task.workspace / "src/fast_lamp/env.py"
            if len(self.asked) == 1:
                file.write_text(ENV)
                raise Killed
            assert file.read_text() == ENV
            return Answer("ok", text="done")

    agent = Waiting([], patient=True)
    with pytest.raises(Killed):
        again(unmeasured, agent).go()
    (change,) = again(unmeasured, agent).go()
    assert change.why == "nobody looked", "the edit of before counts"
    first, second = agent.asked
    assert (first.number, first.prompt) == (second.number, second.prompt)


def test_who_is_not_patient_begins_his_turn_anew_and_pays_for_both(unmeasured, monkeypatch):
    agent = Scripted([turn(env=ENV)])
    monkeypatch.setattr("envwright.translate.optimise.loop.spent", lambda folder: Usage(calls=5))

    class Dying(Scripted):
        def ask(self, task):
            (task.workspace / "src/fast_lamp/env.py").write_text("half a")
            raise Killed

    with pytest.raises(Killed):
        again(unmeasured, Dying([])).go()
    assert again(unmeasured, agent).usage.calls == 5
    work = again(unmeasured, agent)
    work.go()
    assert work.usage.calls == 7
    files = work.journal.of("answered")[-1]["files"]
    assert work.store.get(files["src/fast_lamp/env.py"]).decode() == ENV


def test_a_round_that_leaves_what_cannot_be_kept_ends_with_its_reason_and_another_goes_on(
    unmeasured,
):
    leave, reason = LEFTOVERS["links"]
    agent = Scripted([lambda root: leave(root / SRC), turn(env=ENV)])
    work = again(unmeasured, agent)
    assert work.go() == [] and work.outcome == "agent" and reason in work.reason
    assert [change.status for change in again(unmeasured, agent).go()] == ["ok"]


@pytest.mark.parametrize(
    ("status", "how", "code"),
    [("auth", "agent", 6), ("crash", "agent", 6), ("budget", "budget", 4)],
)
def test_an_agent_that_cannot_go_on_ends_it(unmeasured, status, how, code):
    agent = Scripted([Answer(status, "no such key"), turn(env=ENV)])
    work = again(unmeasured, agent)
    assert work.go() == [] and len(agent.asked) == 1
    assert (work.outcome, work.reason, ENDS[how]) == (how, "no such key", code)
    later = again(unmeasured, agent)
    assert [change.round for change in later.go()] == [1]
    assert later.outcome == "done" and agent.asked[1].number == 2


def test_the_command_says_how_it_ended_and_takes_no_word_for_markup(
    unmeasured, monkeypatch, capsys
):
    answers = [Answer("auth", "no such key"), Answer("ok", text="[/red] done [bold]")]
    monkeypatch.setattr("envwright.cli.optimise.choose_agent", lambda request: Scripted(answers))
    for code in (6, 0):
        with pytest.raises(typer.Exit) as ended:
            optimise(unmeasured.spec.folder, "mailbox", rounds=1, unsafe=REASON is not None)
        assert ended.value.exit_code == code
    said = capsys.readouterr().out
    assert "no such key" in said and "[/red] done [bold]" in said


@pytest.mark.parametrize("cap", [{"dollars": 0.015}, {"minutes": 0.02}, {"iterations": 2}])
def test_a_cap_that_is_reached_ends_it(unmeasured, cap):
    budget = structs.replace(unmeasured.spec.budget, **cap)
    run = replace(unmeasured, spec=replace(unmeasured.spec, budget=budget))
    work = again(run, Scripted([turn(env=ENV)]), rounds=5)
    work.go()
    work.go()
    assert len(work.history) == 2
    assert work.outcome == "budget" and work.reason.startswith("the budget is reached")


@pytest.mark.slow
def test_a_cap_on_minutes_cuts_off_a_trial_and_a_larger_one_makes_it_anew(
    verified, tmp_path, monkeypatch
):
    """The time is over when the levels begin, and again in the race."""
    shutil.rmtree(verified.folder / "optimise", ignore_errors=True)
    monkeypatch.setattr(Optimisation, "_prompt", lambda self, old: "faster, please")
    agent = Scripted([turn(env=ENV)])
    raced = []

    def race(*sides, progress, **more):
        raced.append(sides)
        if len(raced) == 1:
            monkeypatch.setattr(time, "monotonic", lambda clock=time.monotonic: clock() + 3600)
        progress("racing", 1, 2)
        return Contest((32,), {32: [1.0, 1.0, 1.01]}, {32: [2.0, 2.0, 2.01]})

    monkeypatch.setattr("envwright.translate.optimise.trial.contest", race)

    def capped(minutes):
        budget = structs.replace(verified.spec.budget, minutes=minutes)
        return again(replace(verified, spec=replace(verified.spec, budget=budget)), agent)

    for minutes, races in ((0.001, 0), (30, 1)):
        work = capped(minutes)
        assert work.go() == [] and work.outcome == "budget" and len(raced) == races
        assert f"{minutes:g} minutes are over" in work.reason
    assert work.seconds >= 3600 and not work.journal.of("round")
    assert capped(30).go() == [] and len(raced) == 1, "there is no time left"
    (change,) = capped(600).go()
    assert change.kept and len(raced) == 3 and len(agent.asked) == 1  # a gain is raced twice


def test_whoever_calls_again_may_try_again(unmeasured):
    agent = Scripted([turn(env=ENV)])
    assert len(again(unmeasured, agent, rounds=9).go()) == 2
    assert len(again(unmeasured, agent, rounds=9).go()) == 4
    assert len(again(unmeasured, agent, rounds=4).go()) == 4


def test_two_processes_do_not_optimise_one_run(unmeasured):
    one, other = (again(unmeasured, Scripted([turn(env=ENV)])) for _ in range(2))
    with alone(one.folder), pytest.raises(EnvwrightError, match="another process"):
        other.go()
    other.go()
    assert len(one.go()) == 1, "it reads what the other has done"


def test_a_run_that_is_not_verified_is_refused(run_of):
    run = run_of(Scripted([turn(heat="x")]))
    run.journal.append("begun", spec="", levels=[1, 2, 3], agent={}, budget={})
    with pytest.raises(EnvwrightError, match="is not verified"):
        Optimisation(open_run(run.folder), Scripted([]))


def test_a_gain_within_the_noise_is_none():
    noisy = Contest((32,), {32: [100, 100, 100, 100]}, {32: [90, 120, 95, 125]})
    steady = Contest((32,), {32: [100, 101, 99, 100]}, {32: [120, 121, 119, 122]})
    small = Contest((32,), {32: [100, 100, 100, 100]}, {32: [101, 101, 101.1, 101]})
    assert not noisy.faster and steady.faster and not small.faster
    assert 1.19 < steady.gain < 1.22
    absurd = Contest((32,), {32: [1, 1, 1]}, {32: [50, 51, 52]})
    assert absurd.implausible and absurd.faster
    absurd.unchecked = "nobody could look"
    assert absurd.incredible and not absurd.faster
