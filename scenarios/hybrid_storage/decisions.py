"""A Gymnasium environment whose step is a decision of either agent, or of both: where a write goes, which page moves.

An observation is a write, or a page that may move, by the features of the decision points; an action is the number of a
device. For a page its present device means that it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from pmtwin.policies import make_policy
from pmtwin.policies.migration import Migration
from pmtwin.policies.points import default_policies
from pmtwin.policies.write_placement import WritePlacement
from pmtwin.scenarios.environments.conversation import Conversation
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import requests_of
from pmtwin.sim.control import Column
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.hybrid.point import MIGRATE_POINT, PLACE_POINT
from pmtwin.sim.hybrid.running import SIMPY

BOTH = "both"
AGENTS = (PLACE_POINT, MIGRATE_POINT, BOTH)
MS = 1e-6
"""Milliseconds of a nanosecond."""


class Question(NamedTuple):
    """A decision that is due.

    Fields:
        point: its decision point. features: as the point declares. mask: bool, shape (devices,): possible devices.
    """

    point: str
    features: np.ndarray
    mask: np.ndarray


class Answered:
    """What requests have earned since it was last told, in 1/ms."""

    def __init__(self) -> None:
        self.placed = 0.0
        self.latency_ms: list[float] = []

    def told(self) -> dict[str, float]:
        """Rewards by decision point, which then begin anew.

        `place`: sum of 1 / latency of the answered writes. `migrate`: 1 / mean latency of all answered requests; 0
        without any, or if pages move by a policy.
        """
        rewards = {PLACE_POINT: self.placed, MIGRATE_POINT: 0.0}
        if self.latency_ms:
            rewards[MIGRATE_POINT] = 1.0 / float(np.mean(self.latency_ms))
        self.placed, self.latency_ms = 0.0, []
        return rewards


class _Placing(WritePlacement):
    """Asks where each write goes."""

    def __init__(self, ask: Callable[[Question], int], answered: Answered):
        super().__init__()
        self._ask, self._answered = ask, answered

    def decide(self, features, mask):
        return self._ask(Question(PLACE_POINT, features.copy(), mask.copy()))

    def observe(self, features, action, reward):
        self._answered.placed += reward


class _Moving(Migration):
    """Asks where each page that the storage proposes goes."""

    def __init__(self, ask: Callable[[Question], int], answered: Answered):
        super().__init__()
        self._ask, self._answered = ask, answered

    def move(self, page, features, device_of, oldest, free, setting):
        if page < 0:
            return -1
        mask = np.array(free) > 0
        mask[device_of[page]] = True
        return page * len(mask) + self._ask(Question(MIGRATE_POINT, features.copy(), mask))

    def answered(self, latency_ns, write):
        self._answered.latency_ms.append(latency_ns * MS)


class DecisionEnv(gymnasium.Env):
    """Episodes of one workload or trace, from the empty storage to its last whole window; none terminates.

    An action that the mask in `info["mask"]` excludes is replaced by the first possible one, and `info["impossible"]`
    says so. The reward becomes known later: that of a step is what became known since the decision before
    (`Answered.told`), for the point that was decided; `info["rewards"]` has both. A step of `place` earns the sum over
    all writes that were answered meanwhile: with one thread that is the write itself. A page that is to move gets a
    step even if the queue is full.

    Args:
        scenario: with its options; engine and measured part are of no effect.
        decisions: `place`, `migrate` or `both`: the agent that decides in steps; with `both` an observation ends in
            0 (a write) or 1 (a page).
        policies: spec of what decides at the other point (default: the scenario's).
        context: name of a workload; None: the first, or the trace.
        setting: what migration policies are told (default: the scenario's initial one).
        episode_steps: decisions until truncation; None: the end of the requests.
        normalize: observations from -1 to 1.

    Raises:
        InputError: naming the argument that is not accepted.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium requires

    def __init__(
        self,
        scenario: HybridStorage,
        decisions: str = BOTH,
        policies: str | None = None,
        context: str | None = None,
        setting: tuple[int, ...] | None = None,
        episode_steps: int | None = None,
        normalize: bool = False,
        render_mode: str | None = None,
    ):
        if decisions not in AGENTS:
            raise unknown_name("decisions", decisions, AGENTS)
        if episode_steps is not None:
            check_range("episode_steps", episode_steps, 1, 10**9)
        self.decisions, self.episode_steps, self.render_mode = decisions, episode_steps, render_mode
        options: HybridStorageOptions = replace(scenario.options, engine=SIMPY, measured=1.0)
        self.scenario = type(scenario)(options)
        name = f"initial_{scenario.settings.noun}"
        self.setting = scenario.settings.stated(name, setting or scenario.initial_setting)
        if scenario.own_conditions is not None and context is not None:
            raise scenario.refused_contexts(scenario.contexts.noun, context)
        self.conditions = scenario.own_conditions or scenario.contexts.check(context or scenario.contexts.names[0])
        self._others = dict(default_policies(self.scenario))
        if policies is not None:
            self._others |= make_policy(policies, self.scenario).inline
        columns = list(self.scenario.points[0].features)
        columns += [Column("point", 0, 1)] if decisions == BOTH else []
        self._low, self._high = (np.array([getattr(each, end) for each in columns], float) for end in ("low", "high"))
        self._normalization = Normalization(columns) if normalize else None
        low, high = (-np.ones(len(columns)), np.ones(len(columns))) if normalize else (self._low, self._high)
        self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        self._devices = len(self.scenario.points[0].actions)
        self.action_space = gymnasium.spaces.Discrete(self._devices)
        self._talk: Conversation | None = None
        self._question: Question | None = None
        self._answered = Answered()

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begin with an empty storage; the first decision that is due.

        Raises:
            InputError: for options, of which there are none.
        """
        super().reset(seed=seed)
        if options:
            raise InputError("options", sorted(options), "none: context and setting are arguments of the environment")
        self.close()
        system_seed = int(self.np_random.integers(2**63))
        self._answered, self._steps = Answered(), 0
        self._talk = Conversation(_Episode(self, system_seed, self._answered))
        self._question = self._talk.begin()
        return self._observation(), self._info(dict.fromkeys((PLACE_POINT, MIGRATE_POINT), 0.0), False)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Decide, and let requests come until the next decision is due.

        Raises:
            InputError: for an action outside the space, or before `reset` or after the end.
        """
        if self._talk is None or self._question is None:
            raise InputError("env", "no decision is due", "an environment after reset(), before its episode ends")
        if not self.action_space.contains(action):
            raise InputError("action", action, f"the number of a device, 0 to {self._devices - 1}")
        point, mask = self._question.point, self._question.mask
        is_impossible = not mask[int(action)]
        self._question = None  # none is due if the run ends in an error
        self._question = self._talk.reply(int(mask.argmax()) if is_impossible else int(action))
        self._steps += 1
        rewards = self._answered.told()
        is_truncated = self._question is None or self._steps == self.episode_steps
        observation, info = self._observation(), self._info(rewards, is_impossible)
        if is_truncated:
            self.close()
        return observation, rewards[point], False, is_truncated, info

    def close(self) -> None:
        """End the episode."""
        talk, self._talk, self._question = self._talk, None, None
        if talk is not None:
            talk.close()

    def _observation(self) -> np.ndarray:
        if self._question is None:
            features = np.zeros(len(self._low))
        else:
            kind = [float(self._question.point == MIGRATE_POINT)] if self.decisions == BOTH else []
            features = np.concatenate([self._question.features, kind])
        features = np.clip(features, self._low, self._high)
        return features if self._normalization is None else self._normalization.observation(features)

    def _info(self, rewards: Mapping[str, float], is_impossible: bool) -> dict:
        question = self._question
        mask = np.zeros(self._devices, np.int8) if question is None else question.mask.astype(np.int8)
        point = "" if question is None else question.point
        return {"point": point, "mask": mask, "rewards": dict(rewards), "impossible": is_impossible}


class _Episode:
    """An episode, which asks: the work of a `Conversation`; it does not know the environment, which may go."""

    def __init__(self, env: DecisionEnv, seed: int, answered: Answered):
        self._scenario, self._conditions, self._setting = env.scenario, env.conditions, env.setting
        self._asked = (PLACE_POINT, MIGRATE_POINT) if env.decisions == BOTH else (env.decisions,)
        self._others, self._seed, self._answered = env._others, seed, answered

    def __call__(self, ask: Callable[[Question], int]) -> None:
        asking = {PLACE_POINT: _Placing(ask, self._answered), MIGRATE_POINT: _Moving(ask, self._answered)}
        policies = self._others | {name: asking[name] for name in self._asked}
        options = self._scenario.options
        with closing(self._scenario.system(self._conditions, self._seed)) as system:
            for number, point in enumerate(self._scenario.points):
                key = int(np.random.SeedSequence([self._seed, number]).generate_state(1)[0])
                system.decide(point.name, policies[point.name], key)
            system.start(self._setting)
            count = len(requests_of(options, self._conditions, self._seed).first)
            for _ in range(count // options.requests_per_window):
                system.run_window()
