"""The policy of a decision point for which none is given: always the first possible action."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.decisions.state import CompiledState, compiled_state


def decide(arrays: tuple[np.ndarray, ...], features: np.ndarray, mask: np.ndarray):
    """The first possible action."""
    return np.argmax(mask) if mask.size > 0 else 0


def observe(arrays: tuple[np.ndarray, ...], features: np.ndarray, action: int, reward: float):
    """Learns nothing."""


def first_possible() -> CompiledState:
    """A state of the policy."""
    return compiled_state((np.zeros(1),), {"decide": decide, "observe": observe})
