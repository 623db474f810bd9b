"""Runs windows of many independent middlewares at once; each has a seed, pools, a workload, a host and a device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.compiled import CompiledEngine
from pmtwin.scenarios.nvm_middleware.model.engines.replicas import EngineReplicas
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.window_stats import SHORTEST_NS, WindowStats, stats_of
from pmtwin.sim.common.threads import MOST_THREADS, usable_processors
from pmtwin.sim.errors import InputError, check_range


class Replicas:
    """Runs windows of many middlewares at once, on several processors.

    Results equal those of separate runs to the last bit, on any number of threads.

    Args:
        threads: number of threads that share the middlewares; None: number of processors that this process may use.

    Raises:
        InputError: for a number of threads out of range.
    """

    def __init__(self, threads: int | None = None):
        threads = usable_processors() if threads is None else threads
        check_range("threads", threads, 1, MOST_THREADS)
        self._engines = EngineReplicas(int(threads))

    def run_windows(self, middlewares: Sequence[Middleware]) -> tuple[WindowStats[np.ndarray], np.ndarray]:
        """Run one window of each of n started middlewares, n at least 1.

        Returns:
            (`Middleware.get_stats` of all, as arrays of shape (n,); mean requests in queue of both classes, shape (n,
            2)).

        Raises:
            InputError: for an engine other than `compiled`, or a middleware that is listed twice.
        """
        if len(set(middlewares)) < len(middlewares):
            raise InputError("middlewares", f"{len(middlewares)} with one twice", "each once")
        begun = [middleware.begin_window() for middleware in middlewares]
        engines = []
        for engine, _, _ in begun:
            if not isinstance(engine, CompiledEngine):
                raise InputError("engine", engine.name, f"{CompiledEngine.name}: its windows run together")
            engines.append(engine)
        windows = self._engines.run_windows(engines, [each[2] for each in begun], [each[1] for each in begun])
        for middleware, result in zip(middlewares, windows.results, strict=True):
            middleware.end_window(result)
        duration_ns = np.maximum(windows.end_ns - windows.start_ns, SHORTEST_NS)
        extrapolated = np.array([middleware.extrapolated for middleware in middlewares], dtype=bool)
        stats = stats_of(
            windows.number, windows.mean_ns, windows.p99_ns, duration_ns, windows.completions, extrapolated
        )
        return stats, windows.waited_ns / duration_ns[:, None]

    def close(self) -> None:
        """End the threads."""
        self._engines.close()
