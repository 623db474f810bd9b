"""A second scenario, of another shape: one number from 0 to 8, two actions, three columns, contexts named by words.

A gate lets a share of arrivals in: more of them serve better until the room is full. There is no action that changes
nothing, and no goal of latency.
"""

import gymnasium
import numpy as np

from pmtwin.policies import PolicyContext
from pmtwin.policies.training import Problem
from pmtwin.sim.control import LOG, Column, Goal, Measure, Settings

SETTINGS = Settings("gate", ("open",), (0,), (8,), "doors", ((-1,), (1,)))
COLUMNS = (Column("waiting", 0.0, 100.0, scale=LOG), Column("open", 0.0, 8.0), Column("busy", 0.0, 1.0))
SERVED = Measure("served_per_s", "1/s", "visitors served", "higher")
ROOM = {"quiet": 3, "rush": 6}


def problem(*contexts):
    """What training knows of it."""
    return Problem(contexts or tuple(ROOM), (True, False, False), "hour", "gate", 1)


def context(**changes):
    """What a policy is told of it."""
    fields = {
        "scenario": "gate",
        "action_space": gymnasium.spaces.Discrete(2),
        "columns": COLUMNS,
        "settings": SETTINGS,
        "goals": (Goal("served", SERVED, 2.0),),
        "initial": (4,),
    }
    return PolicyContext(**fields | changes)


class Gate(gymnasium.Env):
    """Discrete(2) actions, observations of 3 columns; `close` is counted."""

    action_space = gymnasium.spaces.Discrete(2)
    opened = closed = 0

    def __init__(self, episode_steps=20):
        self.episode_steps = episode_steps
        type(self).opened += 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.set_context(options["context"])
        self.open, self.steps = 4, 0
        return self._observation(), {"gate": (self.open,)}

    def set_context(self, context):
        self.room = ROOM[context]

    def step(self, action):
        (self.open,) = SETTINGS.moved((self.open,), int(action))
        self.steps += 1
        reward = float(2.0 - abs(self.open - self.room) + 0.1 * self.np_random.standard_normal())
        info = {"served_per_s": reward + 1.0, "gate": (self.open,)}
        return self._observation(), reward, False, self.steps >= self.episode_steps, info

    def close(self):
        type(self).closed += 1

    def _observation(self):
        waiting = max(0.0, self.room - self.open) + self.np_random.uniform(0.0, 0.2)
        return np.array([waiting, self.open, min(1.0, self.open / self.room)])
