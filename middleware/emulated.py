"""The middleware over an emulated device: many workers and clients on few processors, in dilated virtual time."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType

import numpy as np

from pmtwin.middleware import binding
from pmtwin.middleware.errors import our_errors
from pmtwin.middleware.native import answered, check_operations, observed
from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine, Observed, WindowResult
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.pools import POOL_MAX
from pmtwin.scenarios.nvm_middleware.model.service.table import service_table, used_kinds
from pmtwin.sim.common.native_parts import how_to_complete
from pmtwin.sim.errors import InputError, MissingDependencyError

MOST_POOLS = (POOL_MAX, POOL_MAX)


def load() -> ModuleType:
    """The native module, with the emulated device in it.

    Raises:
        MissingDependencyError: it is not built, or was built without that.
    """
    native = binding.load()
    if not hasattr(native, "Emulated"):
        remedy = how_to_complete("a C++ compiler and CMake")
        raise MissingDependencyError(f"store emulated: the native parts were built without it; {remedy}")
    return native


class EmulatedEngine(Engine):
    """The middleware in virtual time, which stands still between windows, so that windows are exactly the twin's.

    Without a middleware (the model says so) clients access the store from threads of their own, as in `NativeEngine`.

    Another phase begins as on a live system: what is in flight is carried over, and requests that were submitted before
    stay what they were. (The twin's, where they still wait in a queue, become requests of the new phase.)

    Args:
        dilation: how many times slower than virtual time real time passes; None: the least that can be believed.
        queue: of the middleware, by name; empty: its own choice.
        model, keys, pools: as of an engine of the twin.

    Raises:
        InputError: a dilation at which the emulation would lie.
        MissingDependencyError: the native module was built without the emulated device.
    """

    name = "native"

    def __init__(
        self,
        dilation: float | None,
        queue: str,
        model: Model,
        keys: np.ndarray,
        pools: tuple[int, int],
    ):
        self._native = load()
        self._wanted_dilation, self._queue, self._keys, self._pools = dilation, queue, keys, pools
        self.observed: Observed | None = None
        self._kinds: set[int] = set()
        self._tell(model, self._start)

    def set_model(self, model: Model) -> None:
        """Go on under another model."""
        self._tell(model, self._emulated.use)

    def set_pace(self, pace: tuple[float, float]) -> None:
        self._emulated.set_pace(*pace)

    def resize(self, pools: tuple[int, int]) -> None:
        self._pools = pools
        with our_errors():
            self._emulated.resize(*pools)

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        window = answered(self._native, self._emulated.run, completions, list(map(int, release)))
        result, self.observed = observed(window, self._emulated.validity_warning())
        return result

    def outstanding(self) -> np.ndarray:
        # Asked of drained windows alone, which are refused before there is an engine.
        raise NotImplementedError("windows of an emulated device are not drained")

    unreleased = outstanding

    def _start(self, table, dilation: float) -> None:
        keys = [int(key) for key in self._keys]
        self._emulated = self._native.Emulated(table, dilation, keys, self._queue, self._pools)

    def _tell(self, model: Model, tell: Callable) -> None:
        """Call with the model's table and the dilation that it needs."""
        check_operations(model.workload)
        self._kinds |= set(used_kinds(model.workload))
        table = _table(model, frozenset(self._kinds))
        dilation = self._wanted_dilation or self._native.least_dilation(table)
        try:
            tell(table, dilation)
        except self._native.InputError as error:
            allowed = str(error).rpartition("allowed: ")[2]
            raise InputError("dilation", dilation, allowed) from error


def least_dilation(model: Model) -> float:
    """The least dilation that can be believed under a model.

    Raises:
        MissingDependencyError: as of `load`.
    """
    native = load()
    return native.least_dilation(native.ServiceTable(json.dumps(service_table(model, (1, 1)))))


_TABLES: list[tuple[Model, frozenset[int], object]] = []
_TABLES_KEPT = 8
"""One for each phase of a schedule, or two."""


def _table(model: Model, kinds: frozenset[int]):
    """The service table for all pools, which takes seconds: once for a model, as in the model cache."""
    for known, its_kinds, table in _TABLES:
        if known is model and its_kinds == kinds:
            return table
    most = (int(model.plain.limit),) * 2 if model.plain.shared else MOST_POOLS
    table = load().ServiceTable(json.dumps(service_table(model, most, kinds)))
    _TABLES.append((model, kinds, table))
    del _TABLES[:-_TABLES_KEPT]
    return table
