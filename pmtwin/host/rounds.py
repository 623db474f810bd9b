"""Rounds of the experiments on one machine, over a store that stays open: in a row, or between other work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from pmtwin.host import experiments
from pmtwin.host.experiments import Cell
from pmtwin.host.scratch import scratch_folder
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.nvm_middleware.native import NativeSettings
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError

STEP = "host"
"""Name of a kept round."""


class Rounds:
    """Measures rounds of cells, and keeps what they show. A context, at whose end the store's pool is removed.

    Args:
        settings: the store, and how many keys its requests use.
        profile: of the memory that the store lies in.
        cells: of a round.
        keep: where finished rounds are kept, and found again. key: number of a round -> what it depends on.
        shortened: as few requests as show that everything works, for tests.

    Raises:
        InputError: at the first round that is measured: the store cannot be opened.
        MissingDependencyError: likewise, the middleware is not built.
    """

    def __init__(
        self,
        settings: NativeSettings,
        profile: Profile,
        cells: Sequence[Cell],
        keep: Path | None = None,
        key: Callable[[int], str] = str,
        shortened: bool = False,
    ):
        self._settings, self._profile, self._cells = settings, profile, list(cells)
        self._shortened = shortened
        self._keep, self._key = None if keep is None else Store(keep, "--keep"), key
        self._open, self._stores = ExitStack(), None
        self.samples: dict[str, list[float]] = {}

    def __enter__(self) -> Rounds:
        return self

    def __exit__(self, *_) -> None:
        self._stores = None  # the last reference: the pool is closed before its folder goes
        self._open.close()

    def run(self, number: int) -> Iterator[None]:
        """Round `number`, or what is kept of it: at its end each cell has one value more in `samples`.

        Yields:
            After each cell: other work may come between.
        """
        stored = None if self._keep is None else self._keep.load(STEP, self._key(number))
        if stored is None:
            stored, began = {}, time.perf_counter()
            for name, value in self._measured(number):
                stored[name] = value
                if len(stored) < len(self._cells):
                    yield
            if self._keep is not None:
                self._keep.finish(STEP, self._key(number), stored, time.perf_counter() - began)
        else:
            yield from [None] * (len(self._cells) - 1)
        for name, value in stored.items():
            self.samples.setdefault(name, []).append(value)
        yield

    def _measured(self, number: int) -> Iterator[tuple[str, float]]:
        from pmtwin.middleware import stores

        if self._stores is None:
            pool = self._open.enter_context(_own_pool(self._settings))
            self._stores = pool.make_store(), stores.open_store("null")
        queue = self._settings.queue or ""
        return experiments.one_round(number, self._cells, *self._stores, queue, self._profile, self._shortened)


@contextmanager
def _own_pool(settings: NativeSettings) -> Iterator[NativeSettings]:
    """A pool of pmemkv in a folder of its own, which goes with it: that of a validation is left alone."""
    if settings.path is None:
        yield settings
        return
    if not os.path.isdir(settings.path):
        raise InputError("--path", settings.path, "a folder")
    with scratch_folder(settings.path) as folder:
        yield replace(settings, path=folder)
