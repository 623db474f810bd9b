"""Engine `native`: the real middleware in the twin's place, under the same windows, workloads and measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pmtwin.middleware import binding
from pmtwin.middleware.errors import our_errors
from pmtwin.middleware.key_space import BLOCK
from pmtwin.middleware.placement import ANYWHERE, Placement
from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine, Observed, WindowResult
from pmtwin.scenarios.nvm_middleware.model.middleware import State
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.service.table import check_gets_and_updates
from pmtwin.scenarios.nvm_middleware.model.traces import trace_block
from pmtwin.sim.errors import CheckFailedError, InputError
from pmtwin.sim.load.workload import CLASSES, Workload

PATIENCE_S = 60.0
"""Time without any answer after which a window has failed."""

FAILED = "requests failed"
PAUSED = "began after a pause: the control loop was slower than a whole window"


def check_operations(workload: Workload) -> None:
    """Raise `InputError` unless each request is one get or put of an existing key, and only the load's rates change."""
    if not all(part.rates_alone for part in workload.parts):
        raise InputError(f"workload {workload.name}", "sizes, mixes or clients that change", "changing rates alone")
    check_gets_and_updates(workload)
    for name, load in zip(CLASSES, workload.classes, strict=True):
        if load.clients and (load.gets_per_read != 1.0 or load.gets_per_write != 0.0):
            raise InputError(
                f"workload {workload.name}", f"{name} requests of several operations", "one get or put each"
            )


def observed(window: Mapping, validity_warning: str) -> tuple[WindowResult, Observed]:
    """The parts of a window of the native module; `validity_warning`: further doubts about it."""
    latency_ns, classes, waited_ns = window["latency_ns"], window["classes"], np.array(window["waited_ns"])
    result = WindowResult(latency_ns, classes, window["start_ns"], window["end_ns"], waited_ns)
    validity_warnings = "; ".join(filter(None, (validity_warning, FAILED if window["failed"] else "")))
    state, p99_us = State(*window["state"]), window["stats"]["p99_us"]
    return result, Observed(window["counted"], window["stamped"], validity_warnings, state, p99_us)


def answered(native, run: Callable, *arguments) -> dict:
    """The window that `run` gives; raise `CheckFailedError` if the middleware does not answer for `PATIENCE_S`."""
    try:
        with our_errors():
            return run(*arguments, PATIENCE_S)
    except native.Stalled as error:
        raise CheckFailedError(f"the middleware does not answer: {error}") from error


class NativeEngine(Engine):
    """The middleware over a store of this machine, in real time.

    Without a middleware each client calls the store from a thread: as many threads as clients, at most
    `direct_concurrency` (`sim.parameters.access`), the twin's bound of accesses at once. A request that finds all of
    them busy waits for its turn, and its latency includes the wait; the time to wake a sleeping thread does not count,
    since a client's thread would have slept until its request was due.

    Args:
        store: of the native module.
        queue: of the middleware, by name; empty: its own choice.
        keyspace: keys of each class.
        model, keys, pools: as of an engine of the twin; the model draws the trace.
        placement: of the workers; clients that call the store themselves go where the kernel puts them.
        on_workload: told each workload before its values are stored.

    Raises:
        InputError: an unknown queue, or a processor or a node that this process may not use; later, a workload that the
            store has no room for.
        StoreError: the store fails.
    """

    name = "native"

    def __init__(
        self,
        store,
        queue: str,
        keyspace: int,
        model: Model,
        keys: np.ndarray,
        pools: tuple[int, int],
        placement: Placement = ANYWHERE,
        on_workload: Callable[[Workload], object] = lambda workload: None,
    ):
        check_operations(model.workload)
        self._native, self._random_keys, self._on_workload = binding.load(), keys, on_workload
        direct_accesses = int(model.plain.limit) if model.plain.shared else 0
        with our_errors():
            self._replayed = self._native.Replayed(store, queue, keyspace, pools, direct_accesses, *placement)
        self._modes = (self._native.Mode.interactive, self._native.Mode.batch)
        self._drawn = [0, 0]
        self.observed: Observed | None = None
        self.set_model(model)

    def set_model(self, model: Model) -> None:
        check_operations(model.workload)
        self._on_workload(model.workload)
        self._model = model
        for c, mode in enumerate(self._modes):
            self._drawn[c] -= self._replayed.ahead(mode)  # dropped by set_class, drawn again under the new model
            self._replayed.set_class(mode, int(model.plain.clients[c]), bool(model.plain.closed[c]))

    def set_pace(self, pace: tuple[float, float]) -> None:
        for mode, factor in zip(self._modes, pace, strict=True):
            self._replayed.set_pace(mode, factor)

    def resize(self, pools: tuple[int, int]) -> None:
        with our_errors():
            self._replayed.resize(*pools)

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        self._draw(2 * completions)
        window = answered(self._native, self._replayed.run, completions, tuple(map(int, release)))
        result, self.observed = observed(window, PAUSED if window["paused"] else "")
        return result

    def outstanding(self) -> np.ndarray:
        return np.array(self._replayed.outstanding())

    def unreleased(self) -> np.ndarray:
        return np.array(self._replayed.unreleased())

    def _draw(self, completions: int) -> None:
        """Hand over so much of the trace that two windows cannot come to its end."""
        for c, mode in enumerate(self._modes):
            clients = int(self._model.plain.clients[c])
            wanted = completions + 2 * clients if clients else 0
            missing = wanted - self._replayed.ahead(mode)
            if missing > 0:
                count = max(missing, BLOCK)
                block = trace_block(self._model, self._random_keys, c, self._drawn[c], count)
                with our_errors():
                    self._replayed.append(mode, *block)
                self._drawn[c] += count
