"""The training of a policy that learns inside the simulation: it runs there, and what it has learned is kept."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pmtwin.policies.learned import save_learned
from pmtwin.policies.points import by_point, policy_for
from pmtwin.policies.registry import policy_class
from pmtwin.policies.specified import FIELD
from pmtwin.policies.training.policy_training import PolicyTraining, Task, Trained
from pmtwin.policies.training.progress import quiet
from pmtwin.sim.checkpoint import Checkpoint
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option


@dataclass(frozen=True)
class InlineTraining(PolicyTraining):
    """Length of the run in which the policy learns: episodes in the training contexts, one after the other."""

    title: ClassVar[str] = "learning inside the simulation (--policy weight-sharing)"
    key: ClassVar[str] = "inline"
    read_by_policy: ClassVar[bool] = True

    rounds: int = option(3, "episodes in each context", low=1, high=10**6, metavar="N")
    round_windows: int = option(100, "length of an episode, in windows", low=1, high=10**7, metavar="N")

    def check(self, task: Task) -> None:
        """The policy learns, and serves a decision point of the scenario."""
        policy_class(task.policy, kind=None).check_scenario(task.context)
        policy, _ = _parts(task)
        if not policy.learned:
            raise InputError(FIELD, task.policy, "a policy that says in `learned` what it learns")

    def run(
        self, task: Task, checkpoint: Checkpoint | None = None, workers: int = 1, progress: Callable = quiet
    ) -> Trained:
        """Run episode after episode, each from an empty system with what was learned before; on one process."""
        policy, point = _parts(task)
        contexts = task.scenario.trained_contexts
        episodes = [context for _ in range(self.rounds) for context in contexts]
        rewards, resumed = [], []
        for number, context in enumerate(progress(episodes, desc="train", total=len(episodes), unit="episode")):
            stage = f"episode_{number}"
            kept = checkpoint.load_arrays(stage) if checkpoint else None
            if kept is None:
                kept = self._episode(task, policy, point, context, number)
                if checkpoint:
                    checkpoint.save_arrays(stage, kept)
            else:
                resumed.append(stage)
            rewards.append(float(kept.pop("mean_reward")))
            policy.memory = kept
        return Trained(
            save=partial(_save, policy),
            record={"mean_rewards": rewards},
            summary={"decides": point, "mean_reward": {"first": round(rewards[0], 6), "last": round(rewards[-1], 6)}},
            resumed=resumed,
        )

    def _episode(self, task: Task, policy: Any, point: str, context: Any, number: int) -> dict[str, np.ndarray]:
        """What is known at the end of an episode, and the mean reward of its windows."""
        sequence = np.random.SeedSequence(task.seed, spawn_key=(number,))
        window = policy_for(task.policy, task.scenario)
        env = task.make_env(context=context or None, episode_steps=None)
        env.inline = {**window.inline, point: policy}
        window.start(task.context)
        with closing(env):
            observation, info = env.reset(seed=int(sequence.generate_state(1)[0]))
            total = 0.0
            for _ in range(self.round_windows):
                observation, reward, _, _, info = env.carry_out(window.act(observation, info))
                total += reward
            learned = policy.memory_of(env.running().deciding(point))
        return {name: copy.copy(array) for name, array in learned.items()} | {
            "mean_reward": np.array(total / self.round_windows)
        }


def _save(policy: Any, path: Any, origin: dict) -> None:
    save_learned(path, policy, policy.memory, origin)


def _parts(task: Task) -> tuple[Any, str]:
    """The policy that is trained, and the decision point that it serves.

    Raises:
        InputError: where it serves none of the scenario.
    """
    named = by_point(task.policy, task.scenario)
    inline = policy_for(task.policy, task.scenario).inline
    points = [point for point in named if point in inline]
    if len(points) != 1:
        raise InputError(FIELD, task.policy, "a policy for one decision point inside the windows")
    return inline[points[0]], points[0]
