"""A scenario of the core alone, without settings or goals: on which of two devices the next pages are written.

`Placement` has numbered actions; in `Automatic` nothing is decided between the windows.
"""

from dataclasses import dataclass

import gymnasium
import numpy as np

from pmtwin.scenarios import Contexts, Scenario, System
from pmtwin.sim.control import LOG, LOWER, Column, Measure
from pmtwin.sim.options import Options, option

SHARES = {"cold": 0.2, "hot": 0.8}
RESPONSE = Measure("response_us", "us", "mean time of a read", LOWER, LOG)


@dataclass(frozen=True)
class PlacementOptions(Options):
    pages: int = option(1000, "pages that the fast device has room for", low=1, high=10**9, metavar="N")


class TwoDevices(System):
    """Reads take 10 us on the fast device, 100 us on the slow one, and longer where the fast one is over full."""

    def __init__(self, pages, conditions, seed):
        self.pages, self.share, self.random = pages, SHARES[conditions], np.random.default_rng(seed)

    def start(self, setting):
        self.fast, self.written = 0.5, 0

    def apply(self, action):
        self.fast = 0.9 * self.fast + 0.1 * (action == 0)

    def run_window(self):
        self.written = int(self.random.binomial(self.pages, self.share))
        over = max(self.fast * self.written / self.pages - 0.5, 0.0)
        self.response = 10.0 * self.fast + 100.0 * (1.0 - self.fast) + 200.0 * over

    def observation(self):
        return np.array([self.fast, float(self.written)])

    def measures(self):
        return {RESPONSE.name: self.response}

    def set_context(self, conditions):
        self.share = SHARES[conditions]


class Automatic(Scenario):
    name = "automatic"
    description = "Pages on two devices, placed without a decision"
    Options = PlacementOptions
    columns = (Column("fast_share", 0, 1), Column("written", 0, 10**9, "pages", LOG))
    measures = (RESPONSE,)
    contexts = Contexts("load", tuple(SHARES))

    def system(self, conditions, seed, device=0, mode=None):
        return TwoDevices(self.options.pages, conditions, seed)


class Placement(Automatic):
    name = "placement"
    description = "Pages on two devices, placed by a decision a window"
    action_space = gymnasium.spaces.Discrete(2)
