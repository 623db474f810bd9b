"""The store below the real middleware: in a folder of its own, with room for its records, and gone with its run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pmtwin.middleware import binding, stores
from pmtwin.middleware.errors import StoreError
from pmtwin.middleware.key_space import records
from pmtwin.sim.common.native_parts import how_to_complete
from pmtwin.sim.errors import InputError, MissingDependencyError
from pmtwin.sim.load.workload import CLASSES, Workload

if TYPE_CHECKING:
    from pmtwin.middleware.settings import NativeSettings

POOL = "pool"
"""Name of the pool's file in its folder; a scratch folder takes with it what begins so."""

RECORD_BYTES = 128
"""Of a pool, for each record besides key and value, as `live_bytes` of engine pmemkv counts them."""

HOLDING_BYTES, NAME_BYTES = 160, 64
"""In main memory, for each record of a map besides key and value; and for the name of each key of the driver, which it
keeps over every store."""

POOL_PER_LIVE_BYTE, POOL_FIXED_BYTES, POOL_PER_VALUE = 3, 16 << 20, 5
"""A pool has so many times the bytes of its records, so many besides, and so many times its largest value, which is the
engine's own limit. The driver overwrites like with like: 1.5 times the records were too little, 1.75 times enough for
two times 32 workers. (Where sizes change it takes five times: `middleware/engines/pool_size.h`.)"""

MARK_BYTES = 1 << 20
"""Of a file system, for the folder and what says whose it is."""

LEFT_TO_OTHERS = 0.1
"""Of the memory that is available: a process that takes all of it is killed."""


class OwnStore:
    """A store that its run makes, shared by all middlewares that are given it.

    Args:
        settings: which store, where, and how large its file is.
    """

    def __init__(self, settings: NativeSettings):
        self._settings = settings
        self._store = self._folder = None
        self._records: dict[tuple[str, int], int] = {}

    def opened(self):
        """The store of the native module, made at the first call.

        Raises:
            MissingDependencyError: this build of the middleware has no such store.
            InputError: the folder, or its room, does not do, or the store cannot be made there.
        """
        if self._store is None:
            self._store = self._made()
        return self._store

    def close(self) -> None:
        """Remove its file, whoever still holds the store."""
        if self._folder is not None:
            self._folder.remove()
        self._store = self._folder = None

    def claim(self, workload: Workload, keys: int) -> None:
        """Count the records of a workload, besides those of others, before they are stored.

        Args:
            keys: of each class.

        Raises:
            InputError: the store has no room for so many.
        """
        for name, load in zip(CLASSES, workload.classes, strict=True):
            for size, count in records(load, keys).items():
                place = name, size
                self._records[place] = max(self._records.get(place, 0), count)
        self._check_room()

    def _made(self):
        settings = self._settings
        design = stores.engines().get(settings.store)
        if design is None:
            raise MissingDependencyError(
                f"store {settings.store}: the native parts were built without it; {how_to_complete('its libraries')}"
            )
        if not design.takes("path"):
            return stores.open_store(settings.store)
        check_free(settings)
        self._folder = stores.scratch_folder(settings.path)
        given = {"path": os.path.join(self._folder.path, POOL), "pool_bytes": settings.pool_mib << 20}
        given = {name: value for name, value in given.items() if design.takes(name)}
        try:
            return stores.open_store(settings.store, self._folder, **given)
        except StoreError as error:
            allowed = f"a folder in which a pool of {settings.pool_mib:,} MiB (--pool-mib) can be made"
            raise InputError("path", settings.path, allowed, wrong=f"does not do: {error}") from error

    def _check_room(self) -> None:
        count = sum(self._records.values())
        values = sum(keys * (size + len(f"i:{size}:{keys}")) for (_, size), keys in self._records.items())
        in_memory, design = NAME_BYTES * count, stores.engines().get(self._settings.store)
        if design is None:
            return  # refused by who opens it
        if design.takes("pool_bytes"):
            largest = max(size for _, size in self._records)
            needed = POOL_PER_LIVE_BYTE * (values + RECORD_BYTES * count) + POOL_FIXED_BYTES
            needed, there = max(needed, POOL_PER_VALUE * largest), self._settings.pool_mib << 20
            if needed > there:
                least = _mib(needed)
                more = (
                    f"--pool-mib {least} or more ({POOL_PER_LIVE_BYTE} times the records, since overwriting fragments)"
                )
                raise self._too_many(needed, there, f"a pool of {least:,} MiB", "the pool has", more)
        elif design.keeps == stores.KEEPS[1]:
            in_memory += values + HOLDING_BYTES * count
        free = int((1 - LEFT_TO_OTHERS) * binding.load().available_memory_bytes())
        if self._store is None and in_memory > free:
            wanted = f"{_mib(in_memory):,} MiB of memory"
            raise self._too_many(in_memory, free, wanted, "this process may take", "a machine with more memory")

    def _too_many(self, needed: int, there: int, what: str, has: str, otherwise: str) -> InputError:
        keys, fixed = self._settings.keys, POOL_FIXED_BYTES if self._settings.path else 0
        most = keys * max(0, there - fixed) // max(1, needed - fixed)
        largest = max(size for _, size in self._records)
        if POOL_PER_VALUE * largest > there:
            most = 0
        fewer = f"at most {most:,} with values of up to {largest:,} bytes" if most else ""
        allowed = ", or ".join(filter(None, (fewer, otherwise)))
        return InputError("keys", keys, allowed, wrong=f"need {what}, and {has} {there >> 20:,} MiB")


def check_free(settings: NativeSettings, pools: int = 1) -> None:
    """Raise `InputError` unless there is room for so many pools, in the file system and in the memory of a tmpfs.

    What killed runs left there is removed before, and told.
    """
    if settings.path is None or not os.path.isdir(settings.path):
        return  # refused by who makes the folder
    stores.remove_abandoned(settings.path)
    free = max(0, binding.load().free_bytes_in(settings.path) - MARK_BYTES)
    needed = pools * settings.pool_mib
    if needed << 20 > free:
        asked = f"{pools} pools of {settings.pool_mib:,} MiB" if pools > 1 else f"a pool of {needed:,} MiB"
        raise InputError(
            "pool_mib",
            settings.pool_mib,
            f"at most {(free >> 20) // pools:,}, or a --path with more room",
            wrong=f"is too much: {asked} in {settings.path}, where {free >> 20:,} MiB are free",
        )


def _mib(size: int) -> int:
    return -(-size >> 20)
