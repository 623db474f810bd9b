"""Options of `pmtwin train` for the search of a policy's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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

    def run(self, task: Task, *args, **kwargs) -> Trained:
        """Search the parameters of the policy; further arguments: as `cross_entropy.search`."""
        from pmtwin.policies.training.cross_entropy import search

        return search(task, self, *args, **kwargs)
