"""LinUCB: a contextual bandit, at a decision point inside the simulation or between windows (`choices.linucb`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.inline import Choice
from pmtwin.policies.learned import LearnedOptions
from pmtwin.policies.registry import register
from pmtwin.policies.window_choice import WindowChoice
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.sim.decisions.point import DecisionPoint


PRIOR, NEIGHBOUR = "prior", "neighbour"


@dataclass(frozen=True)
class LinUcbOptions(LearnedOptions):
    """Options of LinUCB."""

    alpha: float = option(0.3, "width of the confidence bound, in standard deviations", low=0.0, high=1e6)
    untried: float = option(
        0.0, "reward that an action is believed to earn before it is tried; high: all are tried", low=-1e12, high=1e12
    )
    new_arms: str = option(
        PRIOR,
        "start of an action that becomes possible for the first time: prior (nothing learned), or neighbour (a copy of "
        "the action before it)",
        choices=(PRIOR, NEIGHBOUR),
    )


@register("linucb")
class LinUcb(Choice):
    """Takes the action with the highest upper confidence bound; learns a linear model of each action's reward."""

    Takes = LinUcbOptions
    options: LinUcbOptions
    learned = (0, 1, 2, 3)
    draws = False
    compiled_in = "pmtwin.policies.choices.linucb"

    def arrays(self, point: DecisionPoint, key: int):
        """State of the arms: inverse, sums and updates of each; number of arms possible so far; scaling of the
        features; alpha, number of actions and start of new arms; workspace for a context and for a product.

        If the file has more arms than the point has actions, they stay, and are never possible.
        """
        size, actions = len(point.features) + 1, len(point.actions)
        arms = max(actions, len(self.memory["2"]) if self.memory else 0)
        scaling = Normalization(point.features).scaling.reshape(3, -1)
        numbers = np.array([self.options.alpha, actions, self.options.new_arms == NEIGHBOUR], dtype=float)
        inverse, sums = np.tile(np.eye(size), (arms, 1, 1)), np.zeros((arms, size))
        sums[:, -1] = self.options.untried
        updates, seen = np.zeros(arms, np.int64), np.zeros(1, np.int64)
        return inverse, sums, updates, seen, scaling, numbers, np.zeros(size), np.zeros(size)

    def _begin_learned(self, learned: Mapping[int | str, Any]):
        """Fill the arms of the file, and let arms beyond them begin with nothing learned."""
        if self.memory:
            size, trained = learned[1].shape[1], self.memory["1"].shape[1]
            if size != trained:
                allowed = f"{trained}, which the policy was trained for"
                raise InputError(f"{FIELD} {self.spec}: numbers of a context", size, allowed, self.options.file or None)
            if not all(np.isfinite(self.memory[name]).all() for name in "01"):
                raise InputError(f"{FIELD} {self.spec}: file", self.options.file, "one whose numbers are all finite")
            arms = len(self.memory["2"])
            padded = {str(k): np.concatenate([self.memory[str(k)], learned[k][arms:]]) for k in range(3)}
            self.memory = {**self.memory, **padded}
        super()._begin_learned(learned)


@register("linucb")
class WindowLinUcb(WindowChoice):
    """Takes the action with the highest upper confidence bound; learns a linear model of each action's reward."""

    Takes = LinUcbOptions
    Chooses = LinUcb
    draws = False
