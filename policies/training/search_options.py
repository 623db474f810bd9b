"""The options of the search for a policy's parameters, as `pmtwin train` offers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.policies.training.practice import Outcome

GROUP = "cross-entropy search (--policy threshold)"


@dataclass(frozen=True)
class SearchTraining(Options):
    """Size of the search: generations of candidates, each on the same episodes as the others of its generation."""

    window_cost: ClassVar[float] = 1.0
    """Time of a window beside one of a given workload."""

    generations: int = option(5, "number of generations", low=1, high=1000, metavar="N", group=GROUP)
    population: int = option(24, "candidates per generation", low=4, high=10**5, metavar="N", group=GROUP)
    generation_episodes: int = option(
        8, "episodes per candidate and generation", low=1, high=10**5, metavar="N", group=GROUP
    )
    candidate_windows: int = option(
        60,
        "length of an episode, in windows, with a change of conditions in the middle",
        low=4,
        high=10**5,
        metavar="N",
        group=GROUP,
    )

    def windows(self) -> int:
        """Windows of the whole search, of the comparison at its end too."""
        generation = self.population * self.generation_episodes * self.candidate_windows
        return self.generations * generation + 2 * self.generation_episodes * self.candidate_windows

    def train(self, practice, policy: str, seed: int, **running) -> Outcome:
        """Search for the parameters of a policy; `running`: as `cross_entropy.search` takes it."""
        from pmtwin.policies.training.cross_entropy import search

        return search(practice, policy, self, seed, **running)
