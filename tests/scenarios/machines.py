"""Two machines that pay at unlike rates, as a scenario: which one is played is decided a hundred times in a window."""

import numpy as np

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import System
from pmtwin.sim.control import HIGHER, Column, Measure
from pmtwin.sim.decisions import DecisionPoint, decide, observe
from pmtwin.sim.errors import InputError

PAID = Measure("paid", "", "share of the plays that paid", HIGHER)
PLAY = DecisionPoint("play", "a coin", actions=("left", "right"), reward="1 if it pays", default="fixed:left")
RATES, PLAYS = (0.3, 0.7), 100


class Machines(Scenario):
    """Two machines."""

    name = "machines"
    description = "two machines that pay at unlike rates"
    columns = (Column("plays", 0, 1e9, ""),)
    measures = (PAID,)
    points = (PLAY,)

    def system(self, conditions, seed, device=0, mode=None):
        return Parlour(seed)


class Parlour(System):
    """The machines."""

    def __init__(self, seed):
        self._rng, self._state, self._plays = np.random.default_rng(seed), None, 0

    def decide(self, point, policy, seed):
        if point != PLAY.name:
            raise InputError("decision point", point, PLAY.name)
        self._state = policy.state(PLAY, seed)

    def deciding(self, point):
        return (self._state,)

    def start(self, setting):
        return

    def apply(self, action):
        return

    def run_window(self):
        none, every, paid = np.zeros(0), np.zeros(0, np.bool_), 0.0
        for draw in self._rng.random(PLAYS):
            action = decide(self._state, none, every)
            reward = float(draw < RATES[action])
            observe(self._state, none, action, reward)
            paid += reward
        self._plays, self._paid = self._plays + PLAYS, paid / PLAYS

    def observation(self):
        return np.array([float(self._plays)])

    def measures(self):
        return {PAID.name: self._paid}


def machines():
    """The scenario."""
    return Machines
