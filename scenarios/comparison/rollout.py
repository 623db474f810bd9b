"""Runs one policy through a schedule of contexts, and records every window after the warm-up."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pmtwin.scenarios.contexts import Contexts
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.windows import offers_too_little
from pmtwin.sim.common.user_files import place_of
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, PolicyError
from pmtwin.sim.numerics.latency_tail import LatencyTail
from pmtwin.sim.numerics.percentiles import split_by_class

Context = int | str


class Block(NamedTuple):
    """Consecutive steps in one context.

    Fields:
        context: name of the context.
        steps: number of steps.
        conditions: conditions drawn from a family of contexts; None for a named context.
    """

    context: Context
    steps: int
    conditions: Any = None


@dataclass(frozen=True)
class Steps:
    """Records of every step (window) of a run that counts, in order; arrays have the shape (steps,) unless stated.

    Args:
        context: name of the context.
        reward: reward.
        measures: compared measure -> values.
        met: whether the window keeps all goals; True without goals.
        short: whether clients offered less than a goal asks for.
        setting: shape (steps, numbers of a setting); zero outside the scenario's ordinary mode.
        validity_warning: the system's reason not to trust the window; usually empty.
        note: the policy's note on its choice (`Policy.note`); usually empty.
    """

    context: np.ndarray
    reward: np.ndarray
    measures: dict[str, np.ndarray]
    met: np.ndarray
    short: np.ndarray
    setting: np.ndarray
    validity_warning: np.ndarray
    note: np.ndarray


@dataclass(frozen=True)
class Trajectory(Steps):
    """A run: its steps, whether any step is extrapolated, and latencies of the first request class by context.

    `system_seed`: seed of the system, from which its random numbers can be drawn again; `warmup_reward`: mean reward of
    the steps before those that count, None without such steps.
    """

    extrapolated: bool
    tails: dict[Context, LatencyTail]
    system_seed: int = 0
    warmup_reward: float | None = None


def make_schedule(
    kind: str,
    steps: int,
    context_steps: int,
    rng: np.random.Generator,
    contexts: Contexts,
    chosen: Sequence[Context] = (),
) -> list[Block]:
    """A schedule of `steps` steps that changes context every `context_steps` steps (the last block may be shorter).

    Args:
        kind: of `pmtwin.scenarios.comparison.options.SCHEDULES`. `order`: contexts in the declared order, repeatedly;
            `random`: each round visits all contexts in a random order, and no context follows itself, so that all
            contexts get equal shares for any seed.
        steps, context_steps: at least 1.
        rng: orders the rounds of `random`, and draws the conditions of families of contexts.
        contexts: contexts of the scenario.
        chosen: contexts of the run; default: all named ones.
    """
    names = list(chosen or contexts.names)
    blocks: list[Block] = []
    remaining = steps
    while remaining > 0:
        last = blocks[-1].context if blocks else None
        for name in names if kind == "order" else _shuffled(names, last, rng):
            length = min(context_steps, remaining)
            if length:
                draw = contexts.families.get(name)
                blocks.append(Block(name, length, None if draw is None else draw(rng)))
            remaining -= length
    return blocks


def _shuffled(names: list[Context], last: Context | None, rng: np.random.Generator) -> list[Context]:
    while True:
        order = [names[k] for k in rng.permutation(len(names))]
        if order[0] != last or len(set(names)) == 1:
            return order


class _Rows:
    """Collects the steps of a run."""

    def __init__(self, env: ControlEnv):
        self._scenario, self._direct = env.scenario, env.mode != env.scenario.modes[0]
        self._names = [measure.name for measure in env.scenario.compared]
        self._met = [f"met_{goal.name}" for goal in env.scenario.goals]
        self._rows: list[tuple] = []
        self.warmup: list[float] = []
        self._extrapolated = False
        self._tails: dict[Context, LatencyTail] = {}

    def add(self, block: Block, env: ControlEnv, reward: float, info: dict, note: str) -> None:
        system = env.running()
        validity, requests = system.validity(), system.requests()
        measures, met = [info[name] for name in self._names], all(info[name] for name in self._met)
        setting, short = system.setting(), offers_too_little(self._scenario, system.offered())
        self._rows.append((block.context, reward, measures, met, short, setting, validity.validity_warning, note))
        self._extrapolated = self._extrapolated or validity.extrapolated
        tail = self._tails.setdefault(block.context, LatencyTail())
        if requests is not None:
            tail.add(split_by_class(*requests)[0])

    def trajectory(self, system_seed: int) -> Trajectory:
        context, reward, measures, met, short, setting, validity_warning, note = zip(*self._rows, strict=True)
        columns = np.array(measures, dtype=np.float64).reshape(len(context), len(self._names)).T
        settings = np.array(setting, dtype=np.int64)
        return Trajectory(
            context=np.array(context),
            reward=np.array(reward, dtype=np.float64),
            measures=dict(zip(self._names, columns, strict=True)),
            met=np.array(met, dtype=bool),
            short=np.array(short, dtype=bool),
            setting=np.zeros_like(settings) if self._direct else settings,
            validity_warning=np.array(validity_warning, dtype=str),
            note=np.array(note, dtype=str),
            extrapolated=self._extrapolated,
            tails={name: tail.close() for name, tail in self._tails.items()},
            system_seed=system_seed,
            warmup_reward=float(np.mean(self.warmup)) if self.warmup else None,
        )


def run_policy(
    policy: Any,
    context: Any,
    env: ControlEnv,
    schedule: Sequence[Block],
    seed: int,
    device: int | None = None,
    on_step: Callable[[], None] | None = None,
    at_end: Callable[[Any], None] | None = None,
    until: Callable[[dict], bool] | None = None,
    warmup_windows: int = 0,
) -> Trajectory:
    """Let a policy control an environment through a schedule, without resets between contexts; closes the environment.

    Args:
        policy: a `policies.Policy`; it acts on the state at the end of the previous window (thesis figure 3.4).
        context: the `PolicyContext` that starts the policy.
        env: an environment with `episode_steps=None`.
        schedule: from `make_schedule`.
        seed: seed of the environment. The same seed and schedule offer every policy the same requests.
        device: number of the sampled device, if the scenario has samples.
        on_step: called after every step (progress).
        at_end: called with the system after the last step, before the system is closed.
        until: whether the run ends after a step with this `info`, before the end of the schedule.
        warmup_windows: number of the first steps, fewer than the schedule has, of which only the mean reward is kept.

    Raises:
        PolicyError: if the policy raises any error except bad input; it names file, line and window.
    """
    calls, env.inline, noun = PolicyCalls(policy), policy.inline, env.scenario.settings.noun
    with closing(env):
        with calls.call("start"):
            setting = policy.start(context)
        chosen = {"context": schedule[0].context or None, "conditions": schedule[0].conditions}
        options = chosen | {"setting": setting, "device": device}
        with calls.answer(noun):
            observation, info = env.reset(seed=seed, options={k: v for k, v in options.items() if v is not None})
        rows = _Rows(env)
        for number, block in enumerate(schedule):
            if number and (block.context != env.context or block.conditions is not None):
                env.set_context(block.context, block.conditions)
                if policy.needs_context:
                    with calls.call("on_context"):
                        policy.on_context(block.context)
                if policy.hears_workloads:
                    with calls.call("on_workload"):
                        policy.on_workload()
            for _ in range(block.steps):
                _reveal(policy, env, calls, noun)
                with calls.call("act"), calls.answer(noun):  # it may have tried a setting
                    action = policy.act(observation, info)
                    if action is None:
                        raise TypeError(f"it returned None; return {env.actions.described_choices}")
                with calls.answer("action", noun):
                    next_observation, reward, _, _, info = env.carry_out(action)
                with calls.call("observe"), calls.answer(noun):
                    policy.observe(observation, action, reward, next_observation, False)
                    note = policy.note() or ""
                observation = next_observation
                calls.window += 1
                if calls.window > warmup_windows + 1:
                    rows.add(block, env, reward, info, note)
                else:
                    rows.warmup.append(reward)
                if on_step is not None:
                    on_step()
                if until is not None and until(info):
                    break
            else:
                continue
            break
        if at_end is not None:
            at_end(env.running())
        return rows.trajectory(env.system_seed)


def _reveal(policy: Any, env: ControlEnv, calls: PolicyCalls, noun: str) -> None:
    """Give an oracle what it may know of the coming window."""
    if policy.needs_load:
        with calls.call("on_load"):
            policy.on_load(env.running().load())
    if policy.needs_trials:
        with calls.call("on_trials"), calls.answer(noun):
            policy.on_trials(env.tried)


class PolicyCalls:
    """Context managers for calls of a policy's methods; errors name the method and the window."""

    def __init__(self, policy: Any):
        self._policy, self.window = policy, 1

    @contextmanager
    def answer(self, *fields: str) -> Iterator[None]:
        """Report errors about one of `fields` as errors of the policy's answer."""
        try:
            yield
        except InputError as error:
            if error.field not in fields:
                raise
            subject = f"policy {self._policy.spec}: {error.field} in window {self.window}"
            raise error.renamed(subject) from error

    @contextmanager
    def call(self, method: str) -> Iterator[None]:
        """Report an unexpected error of a method as `PolicyError`."""
        try:
            yield
        except (PmtwinError, KeyboardInterrupt):
            raise
        except FAILURES as error:
            author = type(getattr(self._policy, "policy", self._policy))  # not the checker before a user's policy
            place = place_of(error, Path(inspect.getfile(author)), getattr(author, method, None))
            name = getattr(self._policy, "spec", type(self._policy).__name__)  # a user's `spec` may fail
            raise PolicyError(name, method, self.window, place, f"{type(error).__name__}: {error}") from error
