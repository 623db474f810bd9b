"""Options of `pmtwin train` for the search of a policy's parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.registry import policy_class
from pmtwin.policies.training.policy_training import Task, Trained
from pmtwin.policies.training.window_trainings import DrawnTraining
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option


@dataclass(frozen=True)
class SearchTraining(DrawnTraining):
    """Size of the search: generations of candidates; all candidates of a generation run on the same episodes."""

    title: ClassVar[str] = "cross-entropy search (--policy threshold)"
    key: ClassVar[str] = "search"
    measure: ClassVar[str] = "attainment"
    """What the record has of each generation."""

    generations: int = option(5, "number of generations", low=1, high=1000, metavar="N")
    population: int = option(24, "candidates per generation", low=4, high=10**5, metavar="N")
    generation_episodes: int = option(8, "episodes per candidate and generation", low=1, high=10**5, metavar="N")
    candidate_windows: int = option(
        60,
        "length of an episode, in windows, with a change of conditions in the middle",
        low=4,
        high=10**5,
        metavar="N",
    )

    def windows(self) -> int:
        """Number of windows of the whole search, the final comparison included."""
        generation = self.population * self.generation_episodes * self.candidate_windows
        return self.generations * generation + 2 * self.generation_episodes * self.candidate_windows

    def check(self, task: Task) -> None:
        """Check the policy.

        Raises:
            InputError: if the policy cannot serve the scenario, or does not declare in `searched` which options to
                search.
        """
        super().check(task)
        if not getattr(policy_class(task.policy, kind=None), "searched", None):
            allowed = "a policy whose class attribute `searched` has the options to search, each with its range"
            raise InputError(FIELD, task.policy, allowed)

    def scores(
        self, task: Task, candidates: Sequence[str], generation: int, workers: int, progress: Callable, title: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """(what is searched for, `measure`), each for the n candidates, higher is better: shape (n,)."""
        from pmtwin.policies.training.cross_entropy import scores_between_windows

        return scores_between_windows(task, candidates, self, generation, workers, progress, title)

    def run(self, task: Task, *args, **kwargs) -> Trained:
        """Search the parameters of the policy; further arguments: as `cross_entropy.search`."""
        from pmtwin.policies.training.cross_entropy import search

        return search(task, self, *args, **kwargs)


@dataclass(frozen=True)
class InlineSearch(SearchTraining):
    """Size of the search inside the simulation: candidates decide in the same episodes of all contexts."""

    title: ClassVar[str] = "cross-entropy search inside the simulation (--policy gain, heat or lru-clean)"
    key: ClassVar[str] = "inline_search"
    measure: ClassVar[str] = "mean_reward"

    population: int = option(16, "candidates per generation", low=4, high=10**5, metavar="N")
    generation_episodes: int = option(
        1, "episodes per candidate, generation and training context", low=1, high=10**5, metavar="N"
    )
    candidate_windows: int = option(50, "length of an episode, in windows", low=1, high=10**5, metavar="N")

    def plan(self, task: Task) -> dict:
        """The options, the number of windows, and the training contexts."""
        plan = super().plan(task)
        return plan | {"windows": plan["windows"] * len(plan["contexts"])}

    def seconds(self, task: Task, workers: int) -> float | None:
        """Unknown: policies differ in speed."""
        return None

    def scores(
        self, task: Task, candidates: Sequence[str], generation: int, workers: int, progress: Callable, title: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """(mean reward, the same), each for the n candidates: shape (n,)."""
        from pmtwin.policies.training.inline_search import mean_rewards

        shown = partial(progress, desc=title, unit="episode")
        size = self.generation_episodes, self.candidate_windows
        rewards = mean_rewards(task, candidates, *size, generation, workers, shown)
        return rewards, rewards
