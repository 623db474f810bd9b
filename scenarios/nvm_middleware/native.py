"""How the real middleware below a scenario is run: its store, and the device that it emulates."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

import numpy as np

from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError, MissingDependencyError, check_range, input_error_of, unknown_name
from pmtwin.sim.middleware import WindowSpec
from pmtwin.sim.model import Model
from pmtwin.sim.workload import CLASSES, Workload

POOL_FILE = "pmtwin.pool"
"""What pmemkv's pool is called in its folder; it is kept, so that it need not be filled again."""

STORES = {
    "emulated": "an emulated device that follows the profile, slowed down by `dilation`",
    "map": "an in-memory map: this machine's memory without a key-value store's own cost",
    "null": "a store that does nothing: what the middleware itself costs",
    "pmemkv": "pmemkv cmap in a pool below `path`: a DAX file system, or /dev/shm",
}
"""What a middleware may keep its data in."""

PLACES = tuple(f"{pool}_{kind}" for kind in ("cpus", "node") for pool in CLASSES)
"""Settings that say where workers run."""


@dataclass(frozen=True)
class NativeSettings:
    """What the middleware runs on.

    Args:
        store: one of `STORES`.
        path: folder of the pool; of `pmemkv` only.
        pool_mib: size of the pool.
        dilation: how many times slower than the modelled device the emulated one runs; None: chosen from the load.
        queue: queue of the middleware, by name; None: its own choice.
        keys: keys of each class of requests.
        interactive_cpus, batch_cpus: processors on which the workers of a pool run, one by one; None: any.
        interactive_node, batch_node: instead a NUMA node, all of whose processors they may use; None: any.
        one_cpu_each: each worker keeps to one of these processors, in turn.

    Raises:
        InputError: for a value that is not accepted.
    """

    store: str = "emulated"
    path: str | None = None
    pool_mib: int = 1024
    dilation: float | None = None
    queue: str | None = None
    keys: int = 1000
    interactive_cpus: Sequence[int] | None = None
    batch_cpus: Sequence[int] | None = None
    interactive_node: int | None = None
    batch_node: int | None = None
    one_cpu_each: bool = False

    def __post_init__(self):
        if self.store not in STORES:
            raise unknown_name("store", self.store, STORES)
        if (self.path is None) == (self.store == "pmemkv"):
            raise InputError("path", self.path, "a folder, with the store pmemkv and no other")
        if self.dilation is not None:
            if self.store != "emulated":
                raise InputError("dilation", self.dilation, "nothing unless the store is emulated")
            check_range("dilation", self.dilation, 1.0, 1e5)
        check_range("pool_mib", self.pool_mib, 8, 2**30)
        check_range("keys", self.keys, 1, 10**7)
        self._check_placement()

    def _check_placement(self) -> None:
        """Whether the processors are there is the middleware's to say, when it starts."""
        given = {name: getattr(self, name) for name in PLACES if getattr(self, name) is not None}
        for name, value in given.items():
            if self.store == "emulated":
                raise InputError(name, value, "nothing while the store is emulated: its processors are emulated too")
            numbers = (value,) if name.endswith("_node") else value
            if isinstance(numbers, str) or not numbers or not all(type(n) is int and n >= 0 for n in numbers):
                raise InputError(name, value, "whole numbers from 0, at least one")
        for pool in CLASSES:
            node = given.get(f"{pool}_node")
            if node is not None and f"{pool}_cpus" in given:
                raise InputError(f"{pool}_node", node, "processors or a node for a pool, not both")
        if self.one_cpu_each and not given:
            raise InputError("one_cpu_each", True, f"only with one of {', '.join(PLACES)}")

    def _placement(self):
        from pmtwin.middleware.placement import Placement

        cpus, nodes = ([getattr(self, f"{pool}_{kind}") for pool in CLASSES] for kind in ("cpus", "node"))
        return Placement(tuple(tuple(of or ()) for of in cpus), tuple(nodes), self.one_cpu_each)

    def make_engine(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        """What runs below `pmtwin.middleware.native.NativeMiddleware`.

        Raises:
            MissingDependencyError: this build of the middleware has no such store.
            InputError: a store that cannot be opened, an unknown queue, a processor or a node that this process may not
                use, or a dilation at which an emulated device would lie.
        """
        from pmtwin.middleware import binding
        from pmtwin.middleware.emulated import EmulatedEngine
        from pmtwin.middleware.native import NativeEngine

        queue = self.queue or ""
        try:
            if self.store == "emulated":
                return EmulatedEngine(self.dilation, queue, model, keys, pools)
            return NativeEngine(self.make_store(), queue, self.keys, model, keys, pools, self._placement())
        except binding.load().InputError as error:
            raise input_error_of(str(error)) or error from error

    @contextmanager
    def own_pool(self):
        """Within it a pool may be made; it is removed afterwards, also after an error, unless it was there before."""
        file = None if self.path is None else os.path.join(self.path, POOL_FILE)
        made_here = file is not None and not os.path.lexists(file)
        try:
            yield
        finally:
            if made_here:
                with suppress(FileNotFoundError):
                    os.unlink(file)

    def make_store(self):
        """The store of the native module, but for `emulated`, which has none.

        Raises:
            MissingDependencyError: this build of the middleware has no such store.
            InputError: a store that cannot be opened.
        """
        from pmtwin.middleware import binding

        make = getattr(binding.load(), f"{self.store}_store", None)
        if make is None:
            raise MissingDependencyError(f"store {self.store}: the native parts were built without it (make build)")
        if self.store != "pmemkv":
            return make()
        try:
            return make(os.path.join(self.path, POOL_FILE), self.pool_mib << 20)
        except binding.load().EngineError as error:
            raise InputError("path", self.path, f"a folder in which a pool can be opened or made ({error})") from error

    def middleware(
        self,
        workload: Workload,
        profile: Profile,
        seed: int | np.random.SeedSequence,
        window: WindowSpec,
        parameters: Mapping[str, float],
        mode: str,
    ):
        """The real middleware, not yet started; arguments as of its twin `sim.Middleware`.

        Raises:
            MissingDependencyError: it is not built.
        """
        from pmtwin.middleware.native import NativeMiddleware  # what needs no native library must run without

        return NativeMiddleware(self.make_engine, workload, profile, seed, window, parameters, mode)

    def to_dict(self) -> dict:
        """Plain values, for the record of a run."""
        return asdict(self)


def native_settings(given: NativeSettings | Mapping | None) -> NativeSettings:
    """As an object.

    Raises:
        InputError: for an unknown field or a value that is not accepted.
    """
    if isinstance(given, NativeSettings):
        return given
    unknown = sorted(set(given or {}) - set(NativeSettings.__dataclass_fields__))
    if unknown:
        raise InputError("native", unknown, ", ".join(NativeSettings.__dataclass_fields__))
    return NativeSettings(**(given or {}))
