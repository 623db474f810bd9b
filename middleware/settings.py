"""The real middleware below a scenario: its store, and the device that it emulates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.middleware import binding, stores
from pmtwin.middleware.errors import our_errors
from pmtwin.middleware.own_store import OwnStore
from pmtwin.middleware.placement import Placement
from pmtwin.scenarios.nvm_middleware.model.pools import WindowSpec
from pmtwin.sim.common.cpu_list import parse_cpus
from pmtwin.sim.common.native_parts import how_to_complete
from pmtwin.sim.errors import ConflictError, InputError, MissingDependencyError, unknown_name
from pmtwin.sim.load.workload import CLASSES, Workload
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
    from pmtwin.scenarios.nvm_middleware.model.model import Model
    from pmtwin.sim.device.profile import Profile

EMULATED = "emulated"
"""The store that is an emulated device, which follows the profile, slowed down by `dilation`."""

OPTIONAL = ("pmemkv",)
"""Engines of the middleware that a build may lack."""

PLACES = tuple(f"{pool}_{kind}" for kind in ("cpus", "node") for pool in CLASSES)
"""Settings that say where workers run."""


REAL, WORKERS = "the real middleware", "processors of its workers"
"""Headings of the options."""


@dataclass(frozen=True)
class NativeSettings(Options):
    """Store, device and placement of the middleware.

    Args:
        store: `EMULATED`, or an engine of the native build by name (`pmtwin.middleware.stores.engines`).
        path: folder in which the store's file is made; of engines that keep one.
        pool_mib: size of that file.
        dilation: how many times slower than the modelled device the emulated one runs; None: chosen from the load.
        queue: queue of the middleware, by name; None: its own choice.
        keys: keys of each class of requests.
        interactive_cpus, batch_cpus: processors on which the workers of a pool run, one by one; None: any.
        interactive_node, batch_node: instead a NUMA node, all of whose processors they may use; None: any.
        one_cpu_each: each worker keeps to one of these processors, in turn.

    Raises:
        InputError: for a value that is not accepted.
    """

    store: str = option(
        EMULATED, "storage backend: emulated, map, null, or pmemkv (where built)", metavar="NAME", group=REAL
    )
    path: str | None = option(
        None,
        "folder for the pool of store pmemkv, which is removed at the end: on persistent memory (DAX) or /dev/shm",
        metavar="DIR",
        group=REAL,
    )
    pool_mib: int = option(1024, "size of the pool file, in MiB", low=8, high=2**30, metavar="MIB", group=REAL)
    dilation: float | None = option(
        None,
        "slow-down factor of store emulated (default: chosen from the load)",
        low=1.0,
        high=1e5,
        metavar="K",
        group=REAL,
    )
    queue: str | None = option(
        None, "middleware queue: handoff, mutex or tbb (default: handoff)", metavar="NAME", group=REAL
    )
    keys: int = option(1000, "number of keys of each request class", low=1, high=10**7, metavar="N", group=REAL)
    interactive_cpus: tuple[int, ...] | None = option(
        None,
        "processors of the interactive workers, such as 0-3,8 (default: any)",
        metavar="LIST",
        group=WORKERS,
        parse=parse_cpus,
    )
    batch_cpus: tuple[int, ...] | None = option(
        None,
        "processors of the batch workers, such as 0-3,8 (default: any)",
        metavar="LIST",
        group=WORKERS,
        parse=parse_cpus,
    )
    interactive_node: int | None = option(None, "NUMA node of the interactive workers", metavar="N", group=WORKERS)
    batch_node: int | None = option(None, "NUMA node of the batch workers", metavar="N", group=WORKERS)
    one_cpu_each: bool = option(False, "pin each worker to one processor of its pool", group=WORKERS)

    def __post_init__(self):
        super().__post_init__()
        self._check_store()
        if self.dilation is not None and self.store != EMULATED:
            raise ConflictError("dilation", self.dilation, "belongs to store emulated; remove one of the two")
        self._check_placement()

    def _check_store(self) -> None:
        """Checks the store's name. Where the middleware is not built its engines are unknown: any name may be one."""
        if self.store == EMULATED:
            if self.path is not None:
                raise ConflictError("path", self.path, "belongs to a store in a file, such as pmemkv; remove it")
            return
        designs = stores.built_engines()
        if designs and self.store not in designs:
            if self.store in OPTIONAL:
                raise MissingDependencyError(
                    f"store {self.store}: the native parts were built without it; {how_to_complete('its libraries')}"
                )
            raise unknown_name("store", self.store, (EMULATED, *designs))
        if designs and (self.path is None) == designs[self.store].takes("path"):
            if self.path is None:
                raise InputError("path", None, f"a folder for the file of store {self.store}")
            raise ConflictError("path", self.path, f"does not go with store {self.store}, which has no file; remove it")

    def _check_placement(self) -> None:
        """Checks the form of the placement; the middleware checks at its start whether the processors exist."""
        given = {name: getattr(self, name) for name in PLACES if getattr(self, name) is not None}
        for name, value in given.items():
            if self.store == EMULATED:
                raise ConflictError(
                    name,
                    value,
                    "belongs to a real store, such as map; store emulated emulates the processors; remove it",
                )
            numbers = (value,) if name.endswith("_node") else value
            if isinstance(numbers, str) or not numbers or not all(type(n) is int and n >= 0 for n in numbers):
                raise InputError(name, value, "whole numbers from 0, at least one")
        for pool in CLASSES:
            node = given.get(f"{pool}_node")
            if node is not None and f"{pool}_cpus" in given:
                raise ConflictError(f"{pool}_node", node, f"does not go with {pool}_cpus; remove one of the two")
        if self.one_cpu_each and not given:
            raise ConflictError("one_cpu_each", True, f"needs one of {', '.join(PLACES)}")

    def _placement(self):
        cpus, nodes = ([getattr(self, f"{pool}_{kind}") for pool in CLASSES] for kind in ("cpus", "node"))
        return Placement(tuple(tuple(processors or ()) for processors in cpus), tuple(nodes), self.one_cpu_each)

    def make_engine(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        """The engine below `sim.Middleware`: real pools, over the store.

        Raises:
            MissingDependencyError: this build of the middleware has no such store.
            InputError: a folder that cannot be used, a store without room, an unknown queue, a processor or a node that
                this process may not use, or a dilation at which an emulated device would lie.
            StoreError: the store cannot be made.
        """
        from pmtwin.middleware.emulated import EmulatedEngine
        from pmtwin.middleware.native import NativeEngine

        queue = self.queue or ""
        if self.store == EMULATED:
            with our_errors():
                return EmulatedEngine(self.dilation, queue, model, keys, pools)
        store = _SHARED.get(repr(self)) or OwnStore(self)
        store.claim(model.workload, self.keys)

        def claim(workload: Workload) -> None:
            store.claim(workload, self.keys)

        return NativeEngine(store.opened(), queue, self.keys, model, keys, pools, self._placement(), claim)

    @contextmanager
    def one_store(self) -> Iterator[None]:
        """Within it all middlewares share a store in a file, which is gone afterwards; without, each makes its own."""
        if self.path is None or repr(self) in _SHARED:
            yield
            return
        _SHARED[repr(self)] = OwnStore(self)
        try:
            yield
        finally:
            _SHARED.pop(repr(self)).close()

    def middleware(
        self,
        workload: Workload,
        profile: Profile,
        seed: int | np.random.SeedSequence,
        window: WindowSpec,
        parameters: Mapping[str, float],
        mode: str,
    ) -> Middleware:
        """The real middleware, not yet started; arguments as of its twin `sim.Middleware`.

        Raises:
            InputError: for what only a twin can do: drained windows, requests of several operations.
            MissingDependencyError: it is not built.
        """
        from pmtwin.middleware.native import check_operations
        from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware

        if window.seconds is not None:
            raise InputError(
                "window_seconds", window.seconds, "windows of a number of requests: a live system is not drained"
            )
        check_operations(workload)
        binding.load()  # last: errors of the input are reported on any machine
        return Middleware(workload, profile, self.make_engine, seed, window, parameters, mode)

    def described(self) -> str:
        """The store and where it is, in words."""
        return f"{self.store} in {self.path}" if self.path else self.store

    def to_dict(self) -> dict:
        """Plain values, for the record of a run."""
        return asdict(self)


_SHARED: dict[str, OwnStore] = {}
"""Stores of `NativeSettings.one_store`, by its settings as text (their lists have no hash)."""


def native_settings(given: NativeSettings | Mapping | None) -> NativeSettings:
    """Native settings as an object.

    Raises:
        InputError: for an unknown field or a value that is not accepted.
    """
    if isinstance(given, NativeSettings):
        return given
    unknown = sorted(set(given or {}) - set(NativeSettings.__dataclass_fields__))
    if unknown:
        raise InputError("native", unknown, ", ".join(NativeSettings.__dataclass_fields__))
    return NativeSettings(**(given or {}))
