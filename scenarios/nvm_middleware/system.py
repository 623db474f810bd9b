"""The middleware below the scenario: its twin on either engine, the emulated and the real one alike.

Where the thesis leaves a choice open:

- Latency of the reward: p99 of the interactive class from submission to answer. Throughput: both classes together.
  Where no interactive request at all was answered while some waited, the length of the window stands for the latency,
  so that starving the class is never a latency of zero.
- Write ratio of the state: share of writes among all requests, 0 to 1 (writes per read would have no bound). Queue
  sizes are means over the last window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.pools import MODES, POOL_MAX, POOL_MIN, POOLS
from pmtwin.scenarios.system import Account, Load, Setting, System, Trial, Validity
from pmtwin.sim.control import Column
from pmtwin.sim.load.workload import MAX_VALUE_BYTES, Workload

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
    from pmtwin.scenarios.nvm_middleware.model.window_stats import WindowStats

MAX_QUEUE = 1e5
"""Bound of a queue in an observation: a workload has at most this many clients."""

P99_US, THROUGHPUT_OPS = "p99_us", "throughput_ops"

COLUMNS = (
    Column("interactive_threads", POOL_MIN, POOL_MAX, "threads", "log"),
    Column("batch_threads", POOL_MIN, POOL_MAX, "threads", "log"),
    Column("interactive_queue_size", 0, MAX_QUEUE, "requests", "log"),
    Column("batch_queue_size", 0, MAX_QUEUE, "requests", "log"),
    Column("interactive_block_size", 0, MAX_VALUE_BYTES, "bytes", "log"),
    Column("batch_block_size", 0, MAX_VALUE_BYTES, "bytes", "log"),
    Column("interactive_write_ratio", 0, 1),
    Column("batch_write_ratio", 0, 1),
)
"""The state of Table 3.2."""

DIRECT = MODES[1]
_LOW, _HIGH = (np.array([getattr(column, end) for column in COLUMNS], dtype=np.float64) for end in ("low", "high"))
INTERACTIVE_QUEUE = 2


def clipped(observation: np.ndarray) -> np.ndarray:
    """Observations, shape (columns,) or (n, columns), within the bounds of their columns; changed in place."""
    np.maximum(observation, _LOW, out=observation)
    return np.minimum(observation, _HIGH, out=observation)


def measures_of(stats: WindowStats, interactive_queue: float | np.ndarray) -> dict[str, np.ndarray]:
    """The measures of a window by name, or of several, each an array; `interactive_queue`: requests, on average."""
    starved = (stats.interactive_ops == 0) & (interactive_queue > 0)  # see above
    # of a single window mostly False; np.where would cost a training more than the reward does
    p99_us = stats.p99_us if starved is False else np.where(starved, stats.duration_s * 1e6, stats.p99_us)
    return {
        P99_US: p99_us,
        THROUGHPUT_OPS: stats.throughput_ops,
        "interactive_ops": stats.interactive_ops,
        "batch_ops": stats.batch_ops,
        "duration_s": stats.duration_s,
    }


class MiddlewareSystem(System):
    """A middleware as a system under control.

    Args:
        middleware: not yet started.
        offer: conditions -> (workload, parameters of the model under it).
    """

    def __init__(self, middleware: Middleware, offer: Callable[[object], tuple[Workload, Mapping[str, float]]]):
        self.middleware, self._offer = middleware, offer

    def start(self, setting: Setting) -> None:
        self.middleware.begin(*setting)

    def apply(self, action: Any) -> None:
        self.middleware.set_pools(*POOLS.after(self.middleware.pools, action))

    def run_window(self) -> None:
        self.middleware.run_window()

    def setting(self) -> Setting:
        return self.middleware.pools

    def observation(self) -> np.ndarray:
        return clipped(np.array(self.middleware.get_state(), dtype=np.float64))

    def measures(self) -> dict[str, float]:
        """`p99_us`, `throughput_ops`, `interactive_ops`, `batch_ops`, `duration_s`."""
        stats = self.middleware.get_stats()
        queue = 0.0 if stats.interactive_ops else self.observation()[INTERACTIVE_QUEUE]  # else it decides nothing
        return {name: float(value) for name, value in measures_of(stats, queue).items()}

    def validity(self) -> Validity:
        stats = self.middleware.get_stats()
        unseen = stats.interactive_ops == 0 and not self.measures()[P99_US]
        return Validity(
            extrapolated=bool(stats.extrapolated),
            validity_warning=self.middleware.validity_warning(),
            missing=frozenset((P99_US,)) if unseen else frozenset(),
        )

    def account(self) -> Account | None:
        """Counts of the last window; off by up to one request a worker, which counts until the worker takes it off."""
        seen = self.middleware.observed()
        workers = 0 if self.middleware.mode == DIRECT else sum(self.setting())
        return None if seen is None else Account(seen.counted, seen.stamped, float(workers))

    def requests(self) -> tuple[np.ndarray, np.ndarray]:
        return self.middleware.latencies()

    def load(self) -> Load:
        """Both classes' rate over the context's, and 1 plus the share of clients whose request is in flight."""
        return Load(self.middleware.coming_rates(), self.middleware.waiting())

    def tried(self, setting: Setting) -> Trial:
        after = self.middleware.trial(setting)
        return Trial(
            MiddlewareSystem(after, self._offer).measures(), Load(self.middleware.coming_rates(), after.waiting())
        )

    def offered(self) -> dict[str, float]:
        """The rate of both traces together; a class in closed loop limits nothing."""
        rate = self.middleware.offered_ops()
        return {} if rate is None else {THROUGHPUT_OPS: rate}

    def set_context(self, conditions: Any) -> None:
        self.middleware.set_workload(*self._offer(conditions))

    def close(self) -> None:
        self.middleware.stop()
