"""What accesses take longer because other workers access too: the device's part of a time that several workers share.

The twin itself says it, by running the measured windows: there is no second law of the device here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pmtwin.scenarios.nvm_middleware.host.experiments import Cell
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.pools import WindowSpec
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.host.file import device_values

REQUESTS = 8000
"""Of a window of the twin; a window before it fills the queues."""
CONSTANT = {"handoff_contention_threads": 1e6, "cpu_noise_sigma": 0.0}
"""The hand-off is the same among all of the cell's workers, and no time is left to chance."""

STEPS, ENOUGH_NS = 12, 1.0
LEAST_SLOPE = 0.05
"""A longer hand-off never makes the whole shorter; where the device hides it, this bounds the step."""


def twin_time_ns(cell: Cell, profile: Profile, values: Mapping[str, float]) -> float:
    """Time of a worker per request, in ns: what `experiments.sample` measures of a saturated cell, of the twin.

    Args:
        values: parameters of the host, by name.
    """
    parameters = {**device_values(profile), **values}
    twin = Middleware(cell.workload(), profile, window=WindowSpec(requests=REQUESTS), parameters=parameters)
    workers = (cell.workers, cell.workers if cell.both else 1)
    twin.start(*workers)
    twin.run_window()
    serving = sum(workers) if cell.both else cell.workers
    running = min(serving, int(values["cores"] * values["threads_per_core"]))
    return running * 1e9 / twin.run_window().throughput_ops


def slowdown_ns(
    together: Sequence[Cell],
    alone: Sequence[Cell],
    profile: Profile,
    values: Mapping[str, float],
    left_ns: np.ndarray,
    on_cell: Callable[[], object] = lambda: None,
) -> np.ndarray:
    """The device's part of a time that it and the hand-off take together: ns per request, shape (cells,).

    The longer workers are elsewhere, the fewer access at once: the hand-off is the one with which the twin takes as
    long, found by the secant method.

    Args:
        together: saturated cells of several workers. alone: those of one worker that have the same requests, each kind
            an equal part of them.
        profile: of the memory below the store.
        values: parameters of the host, but for the hand-off.
        left_ns: shape (cells,), time of a worker per request beyond what the store takes one worker without others.
        on_cell: called after each of `together` (progress).
    """
    without = dict(values) | CONSTANT
    software_ns = float(np.mean([twin_time_ns(cell, profile, without | {"handoff_ns": 0.0}) for cell in alone]))

    def found(cell: Cell, left: float) -> float:
        def slowdown(handoff: float) -> float:
            return twin_time_ns(cell, profile, without | {"handoff_ns": handoff}) - handoff - software_ns

        handoff, slope = max(left, 0.0), 1.0
        slower = slowdown(handoff)
        for _ in range(STEPS):
            beyond = handoff + slower - left
            following = max(handoff - beyond / slope, 0.0)
            if abs(beyond) < ENOUGH_NS or following == handoff:
                break
            changed = slowdown(following) - slower
            slope = max(1.0 + changed / (following - handoff), LEAST_SLOPE)
            handoff, slower = following, slower + changed
        on_cell()
        return slower

    return np.array([found(cell, float(left)) for cell, left in zip(together, left_ns, strict=True)])
