"""The target network: a copy of the parameters that lags behind, so that a network does not chase its own estimates."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.errors import check_range


class TargetCopy:
    """Parameters that come nearer to those that learn: a little at each step (soft), or all the way now and then.

    Args:
        parameters: that learn.
        share: of the distance that a move covers; 1 copies.
        every: steps between two moves.

    Attributes:
        parameters: of the target network.
    """

    def __init__(self, parameters: np.ndarray, share: float = 0.01, every: int = 1):
        check_range("target share", share, 0.0, 1.0)
        check_range("target every", every, 1, 10**9, "steps")
        self.parameters, self.share, self.every = parameters.copy(), share, every

    def follow(self, parameters: np.ndarray, step: int) -> None:
        """Move, if one is due behind this step of the optimiser (the first is 1)."""
        if step % self.every:
            return
        if self.share == 1.0:
            self.parameters[...] = parameters
        else:
            self.parameters *= 1.0 - self.share
            self.parameters += self.share * parameters
