"""A rule for threads on a NUMA machine: to the data that a thread mostly accesses (Yang and others 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.policies.placement import Placement
from pmtwin.policies.registry import register
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.sim.decisions.point import DecisionPoint


@dataclass(frozen=True)
class RuleOptions(Options):
    """When a thread moves."""

    share: float = option(0.5, "share of remote accesses above which a thread moves", low=0.0, high=1.0, metavar="P")


@register("rule")
class Rule(Placement):
    """Each thread with mostly remote accesses goes to the node that it accesses most."""

    Takes = RuleOptions
    options: RuleOptions
    draws = False

    def arrays(self, point: DecisionPoint, key: int):
        """The share."""
        return (np.array([self.options.share]),)

    @staticmethod
    def place(arrays: tuple[np.ndarray, ...], node: int, accesses: np.ndarray):
        """The node that is accessed most, if the other nodes have more than the share of the accesses."""
        total = accesses.sum()
        if total - accesses[node] > arrays[0][0] * total:
            return np.argmax(accesses)
        return node
