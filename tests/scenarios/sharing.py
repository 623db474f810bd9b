"""A scenario that brings a kind of decision point of its own: which share of a load goes left, a number from 0 to 1."""

from dataclasses import dataclass

import numpy as np

from pmtwin.policies import InlinePolicy, Options, option
from pmtwin.policies.learned import LearnedOptions
from pmtwin.scenarios import Scenario, System
from pmtwin.sim.control import LOWER, Column, Measure
from pmtwin.sim.decisions import DecisionPoint, Event, PointKind, call_event

SHARING = PointKind(
    "sharing",
    "which share goes left",
    "sharing.py:Sharer",
    (
        Event("share", {"load": "float64"}, "a share from 0 to 1"),
        Event("cost", {"share": "float64", "cost": "float64"}, teaches=True),
    ),
)
COST = Measure("cost", "", "mean cost of a load", LOWER)


class Sharer(InlinePolicy):
    """Which share of a load goes left: `share(arrays, load)`; `cost(arrays, share, cost)` tells what that cost."""

    decides = SHARING


@dataclass(frozen=True)
class AlwaysOptions(Options):
    """The share."""

    share: float = option(0.5, "share that goes left", low=0.0, high=1.0)


class Always(Sharer):
    """The same share of each load."""

    Takes = AlwaysOptions
    draws = False

    def arrays(self, point, key):
        return (np.array([self.options.share]),)

    @staticmethod
    def share(arrays, load):
        return arrays[0][0]


class Climbing(Sharer):
    """Goes on in the direction in which costs fall."""

    Takes = LearnedOptions
    learned = (0,)
    draws = False

    def arrays(self, point, key):
        return np.array([0.5]), np.array([0.02, np.inf])

    @staticmethod
    def share(arrays, load):
        return arrays[0][0]

    @staticmethod
    def cost(arrays, share, cost):
        step, last = arrays[1]
        if cost > last:
            arrays[1][0] = -step
        arrays[1][1] = cost
        arrays[0][0] = min(max(share + arrays[1][0], 0.0), 1.0)


class Wrong(Always):
    """Asks an array for what it has not."""

    @staticmethod
    def share(arrays, load):
        return arrays[0].nothing


class Late(Always):
    """Fails while it runs."""

    @staticmethod
    def share(arrays, load):
        if load > 0.0:
            raise ValueError("too late")
        return arrays[0][0]


class Sharing(Scenario):
    """A load on two sides, the left of which is twice as fast: the cost is least at two thirds."""

    name = "sharing"
    description = "a load on two sides"
    columns = (Column("loads", 0, 1e9, ""),)
    measures = (COST,)
    points = (DecisionPoint("side", "a load", SHARING, default=f"{__file__}:Always"),)
    draws = False

    def system(self, conditions, seed, device=0, mode=None):
        return Sides()


class Sides(System):
    """The two sides."""

    def __init__(self):
        self._loads, self._cost = 0, 0.0

    def decide(self, point, policy, seed):
        self._state = policy.state(Sharing.points[0], seed)

    def deciding(self, point):
        return (self._state,)

    def start(self, setting):
        return

    def apply(self, action):
        return

    def run_window(self):
        costs = []
        for _ in range(50):
            share = call_event(self._state, "share", 1.0)
            costs.append(share**2 / 2.0 + (1.0 - share) ** 2)
            call_event(self._state, "cost", share, costs[-1])
        self._loads, self._cost = self._loads + 50, float(np.mean(costs))

    def observation(self):
        return np.array([float(self._loads)])

    def measures(self):
        return {COST.name: self._cost}
