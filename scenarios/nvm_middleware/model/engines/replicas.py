"""Windows of many compiled engines in one call, on as many threads as processors, each as if it ran alone.

Each thread has a part of the engines and runs their windows one after another, without Python's lock: interleaving the
events of several engines would take longer (docs/design.md, "Many replicas at once"). The engines share no state: each
thread has a table of speeds for every model.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from pmtwin.scenarios.nvm_middleware.model.engines.base import WindowResult
from pmtwin.scenarios.nvm_middleware.model.engines.compiled import CompiledEngine, check_done, run
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import empty_rows
from pmtwin.sim.compiling import njit
from pmtwin.sim.numerics.percentiles import class_summary

TABLES_KEPT = 32
"""Number of unused tables of speeds that each thread keeps: as many as models are cached."""


class ReplicaWindows(NamedTuple):
    """One window of each of n engines.

    Fields:
        results: results by engine.
        number, mean_ns, p99_ns: shape (2, n), by class and engine, as `pmtwin.sim.numerics.percentiles.class_summary`
            gives them.
        start_ns, end_ns: shape (n,).
        waited_ns: shape (n, 2), as in `WindowResult`.
        completions: shape (n,), int64.
    """

    results: list[WindowResult]
    number: np.ndarray
    mean_ns: np.ndarray
    p99_ns: np.ndarray
    start_ns: np.ndarray
    end_ns: np.ndarray
    waited_ns: np.ndarray
    completions: np.ndarray


class EngineReplicas:
    """Runs windows of many engines at once.

    Args:
        threads: number of threads that share the engines; results are the same for any number.
    """

    def __init__(self, threads: int):
        self.threads = threads
        self._executor = ThreadPoolExecutor(threads - 1, "replicas") if threads > 1 else None
        self._tables: list[dict[int, tuple[Model, np.ndarray]]] = [{} for _ in range(threads)]
        self._parts: list[tuple[Model, np.ndarray]] = []
        self._rows: list[np.ndarray] = []
        self._addresses = np.empty((0, 3), dtype=np.intp)
        self._groups: list[list[np.ndarray]] = []

    def run_windows(
        self, engines: Sequence[CompiledEngine], completions: Sequence[int], releases: Sequence[tuple[int, int]]
    ) -> ReplicaWindows:
        """Run one window of each engine; no engine may be listed twice.

        Args:
            completions, releases: for each engine, the arguments of `Engine.run_window`.
        """
        self._look_up([engine.parts for engine in engines])
        count = len(engines)
        ends = list(accumulate(completions, initial=0))
        latency, classes = np.empty(ends[-1]), np.empty(ends[-1], dtype=np.uint8)
        released, places = np.array(releases, dtype=np.int64).reshape(count, 2), np.array(ends)
        done, times, waited = np.empty(count, dtype=np.int64), np.empty((2, count)), np.empty((count, 2))
        number, mean, p99 = np.empty((2, count), dtype=np.int64), np.empty((2, count)), np.empty((2, count))
        output = places, released, latency, classes, done, times, waited, number, mean, p99
        self._run_lanes(output)
        for index, completions_wanted in zip(done.tolist(), completions, strict=True):
            check_done(index, completions_wanted)
        start, end = times
        results = [
            WindowResult(latency[low:high], classes[low:high], from_ns, to_ns, waits)
            for low, high, from_ns, to_ns, waits in zip(
                ends[:-1], ends[1:], start.tolist(), end.tolist(), waited, strict=True
            )
        ]
        return ReplicaWindows(results, number, mean, p99, start, end, waited, np.diff(places))

    def close(self) -> None:
        """End the threads."""
        if self._executor is not None:
            self._executor.shutdown()

    def _run_lanes(self, output: tuple[np.ndarray, ...]) -> None:
        """Run the engines of all threads; the calling thread runs the first part."""
        first, *further = self._groups
        executor = self._executor  # one thread has none, and nothing further
        waiting = [executor.submit(self._run_lane, groups, output) for groups in further] if executor else []
        self._run_lane(first, output)
        for future in waiting:
            future.result()

    def _run_lane(self, groups: list[np.ndarray], output: tuple[np.ndarray, ...]) -> None:
        for engines in groups:
            model, states = self._parts[engines[0]]
            _run_each(model.records, self._rows[engines[0]], states, engines, self._addresses, *output)

    def _look_up(self, parts: list[tuple[Model, np.ndarray]]) -> None:
        """Record the memory addresses of the engines' data, which rarely change between windows."""
        count = len(parts)
        if count == len(self._parts):
            pairs = enumerate(zip(parts, self._parts, strict=True))
            moved = [place for place, (new, old) in pairs if new[0] is not old[0] or new[1] is not old[1]]
        else:
            self._rows, moved = [np.empty(0)] * count, list(range(count))
            self._addresses = np.empty((count, 3), dtype=np.intp)
        self._parts = parts
        if not moved:
            return
        bounds = [lane * count // self.threads for lane in range(self.threads + 1)]
        lanes = [np.arange(*bounds[lane : lane + 2]) for lane in range(self.threads)]
        kinds = np.array([len(model.kinds) for model, _ in parts])
        self._groups = [
            [lane[kinds[lane] == number_of_kinds] for number_of_kinds in np.unique(kinds[lane])] for lane in lanes
        ]
        for place in moved:
            model, states = parts[place]
            rows = self._rows[place] = self._rows_of(model, bisect_right(bounds, place) - 1)
            self._addresses[place] = [_address(array) for array in (model.records, rows, states)]

    def _rows_of(self, model: Model, lane: int) -> np.ndarray:
        """The table of speeds of one thread for a model."""
        tables = self._tables[lane]
        if id(model) not in tables:
            if len(tables) >= TABLES_KEPT:
                tables.pop(next(iter(tables)))
            tables[id(model)] = model, empty_rows(len(model.kinds))
        return tables[id(model)][1]


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@intrinsic
def _pointer(context, address):
    """An address as a pointer, from which `carray` makes an array."""

    def cast(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), cast


@njit(cache=True, nogil=True)
def _run_each(
    models, rows, states, engines, addresses, places, released, latency, classes, done, times, waited, number, mean, p99
):
    """Run one window of each of m engines with the same number of kinds of operation.

    Args:
        models, rows, states: those of any of the engines, for their types.
        engines: shape (m,), numbers of the engines: indices into all further arrays except `latency` and `classes`.
        addresses: shape (n, 3), memory addresses of each engine's model, rows and state.
        places: shape (n + 1,), first index of each engine's requests in `latency` and `classes`.
        released: shape (n, 2), number of requests to release.
        done, ..., p99: outputs, as in `ReplicaWindows`; `times`: shape (2, n), start and end.
    """
    for j in engines:
        model = carray(_pointer(addresses[j, 0]), models.shape, models.dtype)
        table = carray(_pointer(addresses[j, 1]), rows.shape, rows.dtype)
        state = carray(_pointer(addresses[j, 2]), states.shape, states.dtype)
        low, high = places[j], places[j + 1]
        done[j], times[0, j], times[1, j] = run(
            model, table, state, released[j], latency[low:high], classes[low:high], waited[j]
        )
        number[:, j], mean[:, j], p99[:, j] = class_summary(classes[low:high], latency[low:high])
