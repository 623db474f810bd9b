"""Training of policies that learn while they run: they run as in an evaluation, and the learned state is stored.

It trains one policy, or several at once (`route=A+steal=B`): all learning policies of the spec; the others decide as
usual.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.grammar import FIELD, joined_points, split_points, written
from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.learned import flat, of_point, save_learned
from pmtwin.policies.points import by_point, policy_for, window_point
from pmtwin.policies.registry import policy_class
from pmtwin.policies.training.policy_training import PolicyTraining, Task, Trained
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.window_choice import WindowChoice
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.sim.options import leaves, option

REWARD = "mean reward"
"""Name of an episode's mean reward in its stage of the checkpoint; the blank keeps it apart from learned arrays."""

TIMED = 10
"""Largest number of windows of each context that are timed."""


@dataclass(frozen=True)
class InlineTraining(PolicyTraining):
    """Length of the training: episodes in the training contexts, one after the other."""

    title: ClassVar[str] = "learning while it runs (--policy weight-sharing or linucb)"
    key: ClassVar[str] = "inline"
    whole_spec: ClassVar[bool] = True

    rounds: int = option(3, "episodes per context", low=1, high=10**6, metavar="N")
    round_windows: int = option(100, "length of an episode, in windows", low=1, high=10**7, metavar="N")

    def check(self, task: Task) -> None:
        """Check the policies of the task.

        Raises:
            InputError: if no policy learns, a policy cannot serve the scenario or its engine, or a learning one has no
                option `file` to start from.
        """
        if not split_points(task.policy) and issubclass(cls := policy_class(task.policy, kind=None), InlinePolicy):
            cls.check_scenario(task.context)
        policy, learners = _made(task)
        if isinstance(policy, WindowChoice):
            policy.check_scenario(task.context)
        for inline in policy.inline.values():
            inline.check_engine(task.scenario.engine)
        for learner in learners.values():
            if "file" not in {leaf.name for leaf in leaves(type(learner.options))}:
                allowed = "a policy with an option `file`, as in pmtwin.policies.learned.LearnedOptions"
                raise InputError(FIELD, learner.spec, allowed)

    def preview(self, task: Task) -> dict:
        """The plan, with the number of windows, their contexts and the decision points."""
        contexts = list(task.scenario.trained_contexts)
        size = {"windows": self.rounds * len(contexts) * self.round_windows, "contexts": contexts}
        processes = "1: an episode begins with the learned state of the one before"
        return {"plan": {**self.plan(task), **size, "decides": ", ".join(_made(task)[1]), "processes": processes}}

    def seconds(self, task: Task, workers: int) -> float:
        """Estimated from some windows of each context, without the time for compiling."""
        return self.rounds * sum(self._episode_seconds(task, context) for context in task.scenario.trained_contexts)

    def files(self, task: Task) -> tuple[str, ...]:
        """The files from which the policies start."""
        policy, _ = _made(task)
        return tuple(path for part in (policy, *policy.inline.values()) for path in part.files)

    def spec_of(self, task: Task, file: str) -> str:
        """The spec of the task, in which the trained policies start from the file."""
        _, learners = _made(task)
        specs = {
            point: written(learner.called(), replace(learner.options, file=file)) for point, learner in learners.items()
        }
        if not split_points(task.policy) and len(specs) == 1:
            return next(iter(specs.values()))
        return joined_points(by_point(task.policy, task.scenario) | specs)

    def run(
        self, task: Task, checkpoint: Checkpoint | None = None, workers: int = 1, progress: Callable = quiet
    ) -> Trained:
        """Run episode after episode in one process, each from an empty system with the state learned before."""
        policy, learners = _made(task)
        by_name = _by_name(task, learners)
        episodes = [context for _ in range(self.rounds) for context in task.scenario.trained_contexts]
        rewards, resumed = [], []
        for number, context in enumerate(progress(episodes, desc="train", total=len(episodes), unit="episode")):
            stage = f"episode_{number}"
            arrays = checkpoint.load_arrays(stage) if checkpoint else None
            if arrays is None:
                mean_reward = self._episode(task, policy, learners, context, number)
                if checkpoint:
                    checkpoint.save_arrays(stage, {REWARD: np.array(mean_reward), **flat(by_name)})
            else:
                resumed.append(stage)
                mean_reward = float(arrays.pop(REWARD))
                for name, learner in by_name.items():
                    learner.memory = of_point(arrays, name)
            rewards.append(mean_reward)
        return Trained(
            save=partial(_save, by_name),
            record={"mean_rewards": rewards},
            summary={
                "decides": ", ".join(learners),
                "mean_reward": self._by_round(rewards),
            },
            resumed=resumed,
        )

    def _by_round(self, rewards: Sequence[float]) -> dict[str, float]:
        """Mean reward of the first and of the last round, since single episodes differ by their contexts."""
        means = np.reshape(rewards, (self.rounds, -1)).mean(axis=1)
        ends = {"first_round": means[0], "last_round": means[-1]} if self.rounds > 1 else {"only_round": means[0]}
        return {name: round(float(mean), 6) for name, mean in ends.items()}

    def _episode(self, task: Task, policy: Policy, learners: Mapping[str, Any], context: Any, number: int) -> float:
        """Mean reward of an episode's windows; the learners keep what they have learned at its end."""
        sequence = np.random.SeedSequence(task.seed, spawn_key=(number,))
        learned, between_windows = {}, window_point(task.scenario)

        def keep(system: Any) -> None:
            for point, learner in learners.items():
                states = [cast("WindowChoice", policy).state] if point == between_windows else system.deciding(point)
                learned[point] = learner.memory_of(states)

        policy_context = PolicyContext.of(task.scenario, seed=sequence.spawn(1)[0])
        seed = int(sequence.generate_state(1)[0])
        play = cast("Callable[..., Any]", task.play)
        rewards = play(policy, policy_context, context, self.round_windows, seed, at_end=keep)
        for point, learner in learners.items():
            learner.memory = learned[point]
        return sum(rewards.tolist()) / self.round_windows

    def _episode_seconds(self, task: Task, context: Any) -> float:
        policy, windows, stamps = _made(task)[0], min(self.round_windows, TIMED), []

        def note() -> None:
            stamps.append(time.perf_counter())

        cast("Callable[..., Any]", task.play)(policy, task.context, context, 1, 0)
        note()
        cast("Callable[..., Any]", task.play)(policy, task.context, context, windows, 0, on_step=note)
        window = (stamps[-1] - stamps[1]) / max(windows - 1, 1)
        return (stamps[1] - stamps[0]) + window * (self.round_windows - 1)


def _save(policies: Mapping[str, Any], path: Any, origin: dict) -> None:
    save_learned(path, policies, origin)


def _by_name(task: Task, learners: Mapping[str, Any]) -> dict[str, Any]:
    """Name in files -> learner: the name is its decision point, or empty if the spec names no point and one decides."""
    several = split_points(task.policy) or len(learners) > 1
    return dict(learners) if several else dict(zip([""], learners.values(), strict=True))


def _made(task: Task) -> tuple[Policy, dict[str, Any]]:
    """(policy of the task, decision point -> policy that is trained there).

    Raises:
        InputError: if no policy of the spec learns.
    """
    policy = policy_for(task.policy, task.scenario)
    named = by_point(task.policy, task.scenario)
    deciding = dict(policy.inline)
    if isinstance(policy, WindowChoice):
        deciding[window_point(task.scenario)] = policy.choice
    learners = {point: deciding[point] for point in named if point in deciding and deciding[point].learned}
    if not learners:
        raise InputError(FIELD, task.policy, "a policy whose class attribute `learned` names what it learns")
    return policy, learners
