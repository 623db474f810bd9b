"""The options of the search for a policy's parameters, as `pmtwin train` offers them."""

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
    """Size of the search: generations of candidates, each on the same episodes as the others of its generation."""

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
        """Windows of the whole search, of the comparison at its end too."""
        generation = self.population * self.generation_episodes * self.candidate_windows
        return self.generations * generation + 2 * self.generation_episodes * self.candidate_windows

    def check(self, task: Task) -> None:
        """The policy states which of its options are searched, and serves the scenario."""
        super().check(task)
        if not getattr(policy_class(task.policy, kind=None), "searched", None):
            allowed = "a policy that states in `searched` the options to search, each with its range"
            raise InputError(FIELD, task.policy, allowed)

    def run(self, task: Task, *running, **named) -> Trained:
        """Search for the parameters of the policy; `running`, `named`: as `cross_entropy.search` takes them."""
        from pmtwin.policies.training.cross_entropy import search

        return search(task, self, *running, **named)
