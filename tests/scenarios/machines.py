"""Machines that pay at unlike rates, as scenarios: which one is played is decided a hundred times in a window."""

import numpy as np

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import System
from pmtwin.sim.control import HIGHER, Column, Measure
from pmtwin.sim.decisions import DecisionPoint, decide, observe
from pmtwin.sim.errors import InputError

PAID = Measure("paid", "", "share of the plays that paid", HIGHER)
PLAY = DecisionPoint("play", "a coin", actions=("left", "right"), reward="1 if it pays", default="fixed:left")
BET = DecisionPoint("bet", "a coin", actions=("low", "high"), reward="1 if it pays", default="fixed:low")
RATES, PLAYS = (0.3, 0.7), 100


class Machines(Scenario):
    """Two machines."""

    name = "machines"
    description = "two machines that pay at unlike rates"
    columns = (Column("plays", 0, 1e9, ""),)
    measures = (PAID,)
    points = (PLAY,)

    def system(self, conditions, seed, device=0, mode=None):
        return Parlour(self.points, seed)


class Pair(Machines):
    """Two such decisions at each coin."""

    name = "pair"
    points = (PLAY, BET)


class Parlour(System):
    """The machines."""

    def __init__(self, points, seed):
        self._rng, self._plays = np.random.default_rng(seed), 0
        self._points, self._states = {point.name: point for point in points}, {}

    def decide(self, point, policy, seed):
        if point not in self._points:
            raise InputError("decision point", point, ", ".join(self._points))
        self._states[point] = policy.state(self._points[point], seed)

    def deciding(self, point):
        return (self._states[point],)

    def start(self, setting):
        return

    def apply(self, action):
        return

    def run_window(self):
        none, every, paid = np.zeros(0), np.zeros(0, np.bool_), 0.0
        for draw in self._rng.random(PLAYS):
            for state in self._states.values():
                action = decide(state, none, every)
                reward = float(draw < RATES[action])
                observe(state, none, action, reward)
                paid += reward / len(self._states)
        self._plays, self._paid = self._plays + PLAYS, paid / PLAYS

    def observation(self):
        return np.array([float(self._plays)])

    def measures(self):
        return {PAID.name: self._paid}


def machines():
    """The scenario."""
    return Machines
