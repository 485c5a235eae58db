"""The promises that every environment makes, each with the check that can refute it.

A check takes a `Subject` and yields a sentence for each way in which the promise is
broken; it raises `Unchecked` where there is nothing to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.pytree import named_leaves, with_leaves
from envwright.core.spaces import Discrete
from envwright.core.subject import (
    Play,
    Subject,
    at,
    described,
    fingerprint,
    lane_of,
    paths,
    same,
    short,
)

Leaves = dict[str, np.ndarray]

CHANCE = 1e-6  # an honest environment is accused at most this often


class Unchecked(Exception):
    """There was nothing to check; the message says why."""


# --- what the shapes say ----------------------------------------------------------------


def _compiles(subject: Subject) -> Iterator[str]:
    subject.trace(subject.params)
    return iter(())


def _params_are_numbers(subject: Subject) -> Iterator[str]:
    for name, leaf in paths(subject.explicit).items():
        if not isinstance(leaf, (bool, int, float, np.number, np.ndarray, jax.Array)):
            yield f"params.{name} is a {type(leaf).__name__}, which cannot be traced"
    subject.trace(subject.explicit)


def _state_keeps_its_shape(subject: Subject) -> Iterator[str]:
    for (_, start), step in subject.avals:
        before, after = described(start), described(step.state)
        for name in before.keys() | after.keys():
            if before.get(name) != after.get(name):
                yield (
                    f"state.{name} is {before.get(name, 'absent')} after reset "
                    f"and {after.get(name, 'absent')} after step"
                )
        if jax.tree.structure(start) != jax.tree.structure(step.state):
            yield "the state is another pytree after step than after reset"


def _dtypes_are_strong(subject: Subject) -> Iterator[str]:
    for (obs, state), step in subject.avals:
        for when, tree in (("reset", {"obs": obs, "state": state}), ("step", step._asdict())):
            for name, leaf in paths(tree).items():
                if getattr(leaf, "weak_type", False):
                    yield f"{name} is weakly typed after {when}; give it a dtype"


def _outcome_has_its_shape(subject: Subject) -> Iterator[str]:
    (_, step), _ = subject.avals
    players = subject.env.num_players
    paid = () if players == 1 else (players,)
    if step.reward.shape != paid or not jnp.issubdtype(step.reward.dtype, jnp.floating):
        yield f"reward is {described(step.reward)['']}, not float{list(paid)}"
    for flag in ("terminated", "truncated"):
        aval = getattr(step, flag)
        if (aval.shape, aval.dtype) != ((), np.bool_):
            yield f"{flag} is {described(aval)['']}, not bool[]"


# --- what compilation may not change ----------------------------------------------------


def _one_trace(subject: Subject) -> Iterator[str]:
    play = subject.play
    for params in (subject.params, subject.explicit):
        subject.traces, state = 0, subject.env.reset(subject.key, params)[1]
        rounds = min(3, subject.length)
        for t in range(rounds):
            action = jax.tree.map(lambda x: x[0], play.actions[t])
            state = subject.one_step(play.keys[t][0], state, action, params).state
        if subject.traces > 1:
            yield f"step was traced {subject.traces} times in {rounds} steps of one run"


def _explicit_params_change_nothing(subject: Subject) -> Iterator[str]:
    for t, lane, given, after in subject.some_steps(every=7):
        found = subject.difference(after, subject.one_step(*given, subject.explicit))
        if found:
            yield f"at step {t} of lane {lane}, {found}"


def _jit_is_eager(subject: Subject) -> Iterator[str]:
    for t, lane, compiled, eager in subject.eager_steps:
        found = subject.difference(compiled, eager)
        if found:
            yield f"at step {t} of lane {lane}, {found}"


def _vmap_is_loop(subject: Subject) -> Iterator[str]:
    for t, lane, given, after in subject.some_steps(every=1):
        found = subject.difference(after, subject.step_compiled(given))
        if found:
            yield f"at step {t} of lane {lane}, {found}"


def _batch_is_step(subject: Subject) -> Iterator[str]:
    """Compare both; lanes that ended may start elsewhere, since strategies draw differently."""
    if not subject.batches:
        return
    one, many = subject.play, subject.batch_play
    same_layout = jax.tree.structure(one.states[0]) == jax.tree.structure(many.states[0])
    for t in range(subject.length if same_layout else 1):
        states = many.states[t] if same_layout else one.states[t]
        lanes = subject.many_step(many.keys[t], states, many.actions[t])
        for lane in range(subject.lanes):
            ours, theirs = at(many.steps[t], lane), at(lanes, lane)
            unlike = {"state": None, **({"obs": None} if bool(ours.done) else {})}
            found = subject.difference(ours._replace(**unlike), theirs._replace(**unlike))
            if found:
                yield f"at step {t} of lane {lane}, {found}"


def _same_key_same_run(subject: Subject) -> Iterator[str]:
    again = subject.record(subject.many_reset, subject.many_step)
    for t, (a, b) in enumerate(zip(subject.play.steps, again.steps, strict=True)):
        found = subject.difference(a, b, ulps=0.0)
        if found:
            yield f"at step {t}, {found}"
    given, _ = subject.play.given(0, 0)
    found = subject.difference(*(subject.step_eagerly(given) for _ in range(2)), ulps=0.0)
    if found:
        yield f"run twice without compilation, {found}"


# --- what a training loop receives -------------------------------------------------------


def _observations_in_space(subject: Subject) -> Iterator[str]:
    space = subject.env.observation_space(subject.explicit)
    for play in (subject.play, subject.batch_play):
        for which, view in _views(subject, play):
            if not space.contains(jax.tree.map(np.asarray, view)):
                yield f"{which} observation {short(view)} is not in {space}"


def _views(subject: Subject, play: Play) -> Iterator[tuple[str, Any]]:
    """Yield every view of every player, lane by lane."""
    told = [("the first", play.first_obs)]
    for step in play.steps:
        told += [("an", step.obs), ("a final", step.info.get("final_observation", step.obs))]
    players = range(subject.env.num_players)
    for lane in range(subject.lanes):
        for which, batch in told:
            obs = at(batch, lane)
            views = [at(obs, player) for player in players] if subject.env.simultaneous else [obs]
            yield from ((which, view) for view in views)
        for turn in play.turns:
            for player, views in enumerate(turn["views"]):
                yield f"player {player}'s", at(views, lane)


def _observation_is_of_the_state(subject: Subject) -> Iterator[str]:
    for play in (subject.play, subject.batch_play):
        shown = [turn["shown"] for turn in play.turns]
        told = [play.first_obs, *(step.obs for step in play.steps)]
        for t, (a, b) in enumerate(zip(told[:-1], shown, strict=True)):
            found = subject.difference({"obs": a}, {"obs": b})
            if found:
                yield f"before step {t}, {found}"


def _info_is_fixed(subject: Subject) -> Iterator[str]:
    compiled = subject.play.steps[0].info
    if "final_observation" not in compiled:
        yield "info has no final_observation"
    layout = described(at(compiled, 0))
    for _, _, _, eager in subject.eager_steps:
        now = described(eager.info)
        changed = sorted(n for n in now.keys() | layout if now.get(n) != layout.get(n))
        if changed:
            yield f"info changes from step to step in {', '.join(changed)}"


def _final_observation_is_kept(subject: Subject) -> Iterator[str]:
    if subject.env.restarts:
        raise Unchecked("the game itself begins the next episode")
    for play in (subject.play, subject.batch_play):
        instead, varied = [], set()
        for t, step in enumerate(play.steps):
            for lane in range(subject.lanes):
                after = at(step, lane)
                final = after.info.get("final_observation")
                found = subject.difference({"obs": after.obs}, {"obs": final})
                varied.add(fingerprint(named_leaves(after.obs)))
                if bool(after.done):
                    instead.append(not found)
                elif found:
                    yield f"the episode of lane {lane} goes on at step {t}, yet {found}"
        if instead and all(instead) and len(varied) > 1:
            yield "where an episode ended, it is the first observation of the next"


def _never_both_ends(subject: Subject) -> Iterator[str]:
    for t, step in enumerate(subject.play.steps):
        if bool(jnp.any(step.terminated & step.truncated)):
            yield f"terminated and truncated are both true at step {t}"


def _auto_reset_is_fresh(subject: Subject) -> Iterator[str]:
    for play in (subject.play, subject.batch_play):
        ended = play.ended()
        if not ended:
            raise Unchecked("no episode ended; give more steps")
        after = [lane_of(named_leaves(subject.bare(play.states[t + 1])), i) for t, i in ended]
        yield from _looks_like_a_start(subject, after)
        first = named_leaves(subject.bare(play.states[0]))
        yield from _is_another_start(subject, after, [lane_of(first, lane) for _, lane in ended])


def _looks_like_a_start(subject: Subject, after: list[Leaves]) -> Iterator[str]:
    """Check that values which all starts share, such as a time of zero, hold after an end."""
    for name, value in subject.starts[0].items():
        if not all(same(value, start[name]) for start in subject.starts):
            continue
        odd = [leaves[name] for leaves in after if not same(leaves[name], value)]
        if odd:
            is_now, was = short(odd[0]), short(value)
            yield f"after an end, state.{name} is {is_now}, but every start has {was}"


def _is_another_start(subject: Subject, after: list[Leaves], first: list[Leaves]) -> Iterator[str]:
    """Check for fresh starts; `first` has the lane's first start for each of `after`."""
    seen = [fingerprint(start) for start in subject.starts]
    pairs = len(seen) * (len(seen) - 1) // 2
    equal = sum(a == b for i, a in enumerate(seen) for b in seen[:i])
    if equal == pairs:
        return  # the start is not random
    chance_of_two = (equal + 1) / (pairs + 1)
    if chance_of_two ** (len(after) - 1) > CHANCE:
        raise Unchecked(f"only {len(after)} episodes ended; give more steps")
    if len({fingerprint(leaves) for leaves in after}) == 1:
        yield f"all {len(after)} episodes restarted from the same state"
    if all(fingerprint(a) == fingerprint(b) for a, b in zip(after, first, strict=True)):
        yield f"all {len(after)} episodes restarted from their lane's first state"


# --- what can be stored and what may be done --------------------------------------------


def _snapshot_goes_on(subject: Subject) -> Iterator[str]:
    play, middle = subject.play, subject.length // 2
    state = at(play.states[middle], 0)
    leaves = named_leaves(state)
    if len(leaves) != len(jax.tree.leaves(state)):
        yield "two leaves of the state have the same dotted name"
    stored = {name: leaf.tobytes() for name, leaf in leaves.items()}
    template = subject.env.reset(subject.key, subject.params)[1]
    loaded = {
        name: np.frombuffer(stored[name], leaf.dtype).reshape(leaf.shape)
        for name, leaf in named_leaves(template).items()
    }
    restored = jax.tree.map(jnp.asarray, with_leaves(template, loaded))
    for t in range(middle, min(middle + 4, subject.length)):
        (key, _, action), _ = play.given(t, 0)
        # Not compiled at first: a program knows only the leaves, and would hide the rest.
        step = subject.step_eagerly if t == middle else subject.step_compiled
        straight, reloaded = step((key, state, action)), step((key, restored, action))
        found = subject.difference(straight, reloaded, ulps=0.0)
        if found:
            yield f"a state stored and loaded goes on differently at step {t}: {found}"
        state, restored = straight.state, reloaded.state


def _masks_allow_something(subject: Subject) -> Iterator[str]:
    space = subject.env.action_space(subject.explicit)
    if not isinstance(space, Discrete):
        raise Unchecked("the action space is not Discrete")
    for play in (subject.play, subject.batch_play):
        for t, turn in enumerate(play.turns):
            masks = np.asarray(turn["masks"])  # [L, movers, A]
            if masks.dtype != bool or masks.shape[2:] != (space.n,):
                yield f"legal_actions is {masks.dtype}{list(masks.shape[2:])}, not bool[{space.n}]"
            if not masks.any(axis=-1).all():
                yield f"before step {t} a player has no legal action"


def _players_are_right(subject: Subject) -> Iterator[str]:
    env = subject.env
    if env.num_players == 1:
        raise Unchecked("there is one player")
    if env.simultaneous:
        anything = jnp.full(env.num_players, env.noop, jnp.int32)
        jax.eval_shape(env.step, subject.key, at(subject.play.states[0], 0), anything)
        space = env.action_space(subject.explicit)
        if not space.contains(np.int32(env.noop)):
            yield f"noop {env.noop} is not in {space}"
        return
    last = env.num_players - 1
    for t, turn in enumerate(subject.play.turns):
        mover = np.asarray(turn["mover"])
        if mover.dtype.kind not in "iu" or not ((mover >= 0) & (mover <= last)).all():
            yield f"current_player is {short(mover)} before step {t}, not 0 to {last}"


def _sampled_actions_are_accepted(subject: Subject) -> Iterator[str]:
    """Check that samples are in the space; `_compiles` has seen that `step` takes them."""
    space = subject.env.action_space(subject.explicit)
    for action in map(space.sample, subject.draw_keys()):
        if not space.contains(jax.tree.map(np.asarray, action)):
            yield f"the action {short(action)} was drawn from {space}, but is not in it"
    subject.trace(subject.params)


PROMISES: dict[str, Callable[[Subject], Iterator[str]]] = {
    "reset and step can be compiled": _compiles,
    "parameters are numbers that can be traced": _params_are_numbers,
    "the state keeps its structure, shapes and dtypes": _state_keeps_its_shape,
    "dtypes are strong": _dtypes_are_strong,
    "reward and ends have their shape": _outcome_has_its_shape,
    "one trace": _one_trace,
    "explicit parameters change nothing": _explicit_params_change_nothing,
    "jit = eager": _jit_is_eager,
    "vmap = loop": _vmap_is_loop,
    "step_batch = step": _batch_is_step,
    "the same key gives the same run": _same_key_same_run,
    "observations are in their space": _observations_in_space,
    "the observation is that of the state": _observation_is_of_the_state,
    "info is fixed": _info_is_fixed,
    "the final observation is kept": _final_observation_is_kept,
    "an episode ends for one reason": _never_both_ends,
    "auto-reset gives fresh starts": _auto_reset_is_fresh,
    "a snapshot goes on the same": _snapshot_goes_on,
    "some action is always legal": _masks_allow_something,
    "players are as declared": _players_are_right,
    "sampled actions are accepted": _sampled_actions_are_accepted,
}

# Where one of these is broken there is no run to look at.
PROMISES_BEFORE_A_RUN = tuple(PROMISES)[:2]
