"""The training of what learns while it runs: it runs as in an evaluation, and what it has learned is kept.

One policy, or several at once (`route=A+steal=B`): whatever of the spec learns is trained, and the rest decides as it
does.
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
"""Of an episode, in its stage of the checkpoint: no name of anything that is learned has a blank."""

TIMED = 10
"""Windows of each context that are timed."""


@dataclass(frozen=True)
class InlineTraining(PolicyTraining):
    """Length of the run in which the policy learns: episodes in the training contexts, one after the other."""

    title: ClassVar[str] = "learning while it runs (--policy weight-sharing or linucb)"
    key: ClassVar[str] = "inline"
    whole_spec: ClassVar[bool] = True

    rounds: int = option(3, "episodes in each context", low=1, high=10**6, metavar="N")
    round_windows: int = option(100, "length of an episode, in windows", low=1, high=10**7, metavar="N")

    def check(self, task: Task) -> None:
        """What is trained learns, can be begun from a file, and serves a decision point of the scenario."""
        if not split_points(task.policy) and issubclass(cls := policy_class(task.policy, kind=None), InlinePolicy):
            cls.check_scenario(task.context)
        policy, learners = _made(task)
        if isinstance(policy, WindowChoice):
            policy.check_scenario(task.context)
        for each in policy.inline.values():
            each.check_engine(task.scenario.engine)
        for each in learners.values():
            if "file" not in {leaf.name for leaf in leaves(type(each.options))}:
                allowed = "a policy with an option `file`, as pmtwin.policies.learned.LearnedOptions has"
                raise InputError(FIELD, each.spec, allowed)

    def preview(self, task: Task) -> dict:
        """The windows, and where they are spent."""
        contexts = list(task.scenario.trained_contexts)
        size = {"windows": self.rounds * len(contexts) * self.round_windows, "contexts": contexts}
        processes = "1: an episode begins with what the one before has learned"
        return {"plan": {**self.plan(task), **size, "decides": ", ".join(_made(task)[1]), "processes": processes}}

    def seconds(self, task: Task, workers: int) -> float:
        """By some windows of each context; what compiles first does not count."""
        return self.rounds * sum(self._episode_seconds(task, context) for context in task.scenario.trained_contexts)

    def files(self, task: Task) -> tuple[str, ...]:
        """Those from which the policies begin."""
        policy, _ = _made(task)
        return tuple(path for each in (policy, *policy.inline.values()) for path in each.files)

    def spec_of(self, task: Task, file: str) -> str:
        """That of the task, with the file for whatever was trained."""
        _, learners = _made(task)
        specs = {point: written(each.called(), replace(each.options, file=file)) for point, each in learners.items()}
        if not split_points(task.policy):
            return next(iter(specs.values()))
        return joined_points(by_point(task.policy, task.scenario) | specs)

    def run(
        self, task: Task, checkpoint: Checkpoint | None = None, workers: int = 1, progress: Callable = quiet
    ) -> Trained:
        """Run episode after episode, each from an empty system with what was learned before; on one process."""
        policy, learners = _made(task)
        kept_as = _kept_as(task, learners)
        episodes = [context for _ in range(self.rounds) for context in task.scenario.trained_contexts]
        rewards, resumed = [], []
        for number, context in enumerate(progress(episodes, desc="train", total=len(episodes), unit="episode")):
            stage = f"episode_{number}"
            kept = checkpoint.load_arrays(stage) if checkpoint else None
            if kept is None:
                mean_reward = self._episode(task, policy, learners, context, number)
                if checkpoint:
                    checkpoint.save_arrays(stage, {REWARD: np.array(mean_reward), **flat(kept_as)})
            else:
                resumed.append(stage)
                mean_reward = float(kept.pop(REWARD))
                for point, each in kept_as.items():
                    each.memory = of_point(kept, point)
            rewards.append(mean_reward)
        return Trained(
            save=partial(_save, kept_as),
            record={"mean_rewards": rewards},
            summary={
                "decides": ", ".join(learners),
                "mean_reward": self._by_round(rewards),
            },
            resumed=resumed,
        )

    def _by_round(self, rewards: Sequence[float]) -> dict[str, float]:
        """Mean of the first and of the last round: single episodes differ by their contexts."""
        means = np.reshape(rewards, (self.rounds, -1)).mean(axis=1)
        ends = {"first_round": means[0], "last_round": means[-1]} if self.rounds > 1 else {"only_round": means[0]}
        return {name: round(float(mean), 6) for name, mean in ends.items()}

    def _episode(self, task: Task, policy: Policy, learners: Mapping[str, Any], context: Any, number: int) -> float:
        """Mean reward of an episode's windows; the learners go on from its end."""
        sequence = np.random.SeedSequence(task.seed, spawn_key=(number,))
        learned, between = {}, window_point(task.scenario)

        def keep(system: Any) -> None:
            for point, each in learners.items():
                states = [cast("WindowChoice", policy).state] if point == between else system.deciding(point)
                learned[point] = each.memory_of(states)

        policy_context = PolicyContext.of(task.scenario, seed=sequence.spawn(1)[0])
        seed = int(sequence.generate_state(1)[0])
        play = cast("Callable[..., Any]", task.play)
        rewards = play(policy, policy_context, context, self.round_windows, seed, at_end=keep)
        for point, each in learners.items():
            each.memory = learned[point]
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


def _kept_as(task: Task, learners: Mapping[str, Any]) -> dict[str, Any]:
    """Name in files -> what learns: its decision point, or nothing where the spec names none."""
    return dict(learners) if split_points(task.policy) else dict(zip([""], learners.values(), strict=True))


def _made(task: Task) -> tuple[Policy, dict[str, Any]]:
    """The policy of the task; and decision point -> what is trained there.

    Raises:
        InputError: where nothing learns.
    """
    policy = policy_for(task.policy, task.scenario)
    named = by_point(task.policy, task.scenario)
    deciding = dict(policy.inline)
    if isinstance(policy, WindowChoice):
        deciding[window_point(task.scenario)] = policy.choice
    learners = {point: deciding[point] for point in named if point in deciding and deciding[point].learned}
    if not learners:
        raise InputError(FIELD, task.policy, "a policy that says in `learned` what it learns")
    return policy, learners
