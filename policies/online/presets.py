"""Hyperparameters of a deep Q-network that learns in one run, and their presets (CAPES, SC17, Table 1).

`paper` has Table 1's values; where the table is silent, it has the plainest reading: two hidden layers of 600 units,
one optimiser step per action, no limit of gradients. `code` has those of the authors' published code where they
differ. `default` acts on means of ten windows, learns from the level of the reward, and looks less far ahead: changes
from window to window are mostly noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from pmtwin.policies.network.limits import MOST_UNITS
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.options import Options, option

PAPER, CODE, DEFAULT = "paper", "code", "default"
LEVEL, CHANGE = "level", "change"
PROPOSED, APPLIED = "proposed", "applied"
AS_INPUTS = 0
"""Number of units that means: as many as inputs."""


@dataclass(frozen=True)
class Hyperparameters:
    """What a run of learning needs to know.

    Args:
        hold: windows of an action tick; inputs and rewards are means over them.
        seen: action ticks in an observation (S).
        discount: discount factor of an action tick (gamma).
        target_share: share of the learning network in an update of the target network (alpha), after each step.
        minibatch: transitions of an optimiser step.
        units: units of each of the two hidden layers; `AS_INPUTS`: as many as inputs.
        widening: factor of the units where they are as many as inputs.
        optimiser: `adam` or `rmsprop`. step_size: its learning rate. decay: RMSProp's decay.
        norm: largest length of each tensor of the gradient of the mean squared error; infinite: no limit.
        exploration_actions: actions during which the share of random actions falls from 1 to `last_exploration`.
        bump: share of random actions from which it falls on when a workload starts.
        missing: largest share of missing cells of an observation.
        steps: optimiser steps per action tick.
        double: double Q.
        reward: `level` of the rewards' mean, or its `change`.
        compressed: whether scaled levels enter as sign(x) log(1 + |x|).
        learned: action of a transition, `proposed` by the network or `applied` after the action checker.
    """

    hold: int
    seen: int
    discount: float
    target_share: float = 0.01
    minibatch: int = 32
    units: int = AS_INPUTS
    widening: float = 1.0
    optimiser: str = "adam"
    step_size: float = 1e-4
    decay: float = 0.9
    norm: float = math.inf
    exploration_actions: int = 7200
    last_exploration: float = 0.05
    bump: float = 0.2
    missing: float = 0.2
    steps: int = 1
    double: bool = False
    reward: str = CHANGE
    compressed: bool = False
    learned: str = APPLIED

    def hidden(self, inputs: int) -> tuple[int, int]:
        """Units of the two hidden layers of a network with so many inputs."""
        units = self.units or min(max(round(self.widening * inputs), 1), MOST_UNITS)
        return units, units

    def exploration(self, actions: int) -> float:
        """Share of random actions after a number of actions, without bumps: at least `last_exploration`."""
        fallen = (1.0 - self.last_exploration) * actions / self.exploration_actions
        return max(self.last_exploration, 1.0 - fallen)

    def bumped(self, actions: int) -> int:
        """The number of actions from which exploration falls on when a workload starts."""
        if self.last_exploration >= self.bump:
            return actions
        at_bump = (1.0 - self.bump) / (1.0 - self.last_exploration) * self.exploration_actions
        return min(actions, round(at_bump))


PRESETS: Mapping[str, Hyperparameters] = MappingProxyType(
    {
        PAPER: Hyperparameters(hold=1, seen=10, discount=0.99, units=600),
        CODE: Hyperparameters(
            hold=1, seen=10, discount=0.99, widening=1.2, optimiser="rmsprop", step_size=1e-3, norm=5.0,
            exploration_actions=10**6, steps=10, learned=PROPOSED,
        ),
        DEFAULT: Hyperparameters(
            hold=10, seen=2, discount=0.9, units=64, step_size=1e-3, exploration_actions=300, steps=8, double=True,
            reward=LEVEL, compressed=True,
        ),
    }
)  # fmt: skip
"""Name -> hyperparameters."""


@dataclass(frozen=True)
class OnlineOptions(Options):
    """A preset, and hyperparameters in the place of its own."""

    preset: str = option(
        DEFAULT, "hyperparameters: Table 1 of CAPES (paper), its published code (code), or default", choices=(*PRESETS,)
    )
    hold: int | None = option(None, "windows of an action; inputs and rewards are their means", low=1, high=100)
    seen: int | None = option(None, "actions whose windows the network sees (S)", low=1, high=100)
    discount: float | None = option(None, "discount factor of an action (gamma)", low=0.0, high=0.9999)
    target_share: float | None = option(None, "update rate of the target network (alpha)", low=1e-6, high=1.0)
    minibatch: int | None = option(None, "transitions of an optimiser step", low=1, high=10**5)
    units: int | None = option(None, "units of each hidden layer; 0: as many as inputs", low=0, high=MOST_UNITS)
    widening: float | None = option(None, "units by input, with units=0", low=1e-3, high=100.0)
    optimiser: str | None = option(None, "optimiser", choices=("adam", "rmsprop"))
    step_size: float | None = option(None, "learning rate of the optimiser", low=1e-9, high=1.0)
    decay: float | None = option(None, "decay of RMSProp", low=0.0, high=0.9999)
    norm: float | None = option(None, "largest length of each tensor of the gradient", low=1e-6, high=1e9)
    exploration_actions: int | None = option(
        None, "actions during which the share of random actions falls", low=1, high=10**9
    )
    last_exploration: float | None = option(None, "share of random actions at last", low=0.0, high=1.0)
    bump: float | None = option(
        None, "share of random actions from which it falls on when a workload starts", low=0.0, high=1.0
    )
    missing: float | None = option(None, "largest share of missing cells in an observation", low=0.0, high=1.0)
    steps: int | None = option(None, "optimiser steps per action", low=0, high=1000)
    double: bool | None = option(None, "double Q")
    reward: str | None = option(None, "level of the rewards, or change", choices=(LEVEL, CHANGE))
    compressed: bool | None = option(None, "the logarithm of scaled levels")
    learned: str | None = option(None, "action that is learned from", choices=(PROPOSED, APPLIED))

    def __post_init__(self):
        super().__post_init__()
        windows = self.hyperparameters.hold * self.hyperparameters.seen
        try:
            check_range("hold times seen", windows, 1, 100, "windows")
        except InputError as error:
            raise error.renamed("hold", value=self.hyperparameters.hold) from error

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Those of the preset, with the given ones in their place."""
        given: dict[str, Any] = {
            field.name: value
            for field in fields(OnlineOptions)
            if field.name != "preset" and (value := getattr(self, field.name)) is not None
        }
        return replace(PRESETS[self.preset], **given)
