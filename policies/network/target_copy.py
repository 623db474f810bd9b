"""Parameters of a target network: a copy that lags behind, so that a network does not chase its own estimates."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.errors import check_range


class TargetCopy:
    """Copy of the learning parameters, updated softly (`share` below 1) or as a whole, every `every` steps.

    Args:
        parameters: the learning parameters.
        share: share of the distance to the learning parameters that an update covers; 1 copies them.
        every: optimiser steps between two updates.

    Attributes:
        parameters: parameters of the target network.
    """

    def __init__(self, parameters: np.ndarray, share: float = 0.01, every: int = 1):
        check_range("target share", share, 0.0, 1.0)
        check_range("target every", every, 1, 10**9, "steps")
        self.parameters, self.share, self.every = parameters.copy(), share, every

    @property
    def follows_each_step(self) -> bool:
        """Whether every step of the optimiser is followed softly."""
        return self.every == 1 and self.share < 1.0

    def follow(self, parameters: np.ndarray, step: int) -> None:
        """Update if one is due after optimiser step `step`, which counts from 1."""
        if step % self.every:
            return
        if self.share == 1.0:
            self.parameters[...] = parameters
        else:
            self.parameters *= 1.0 - self.share
            self.parameters += self.share * parameters
