"""Rounds of the experiments on one machine, over a store that stays open: in a row, or between other work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pmtwin.middleware import stores
from pmtwin.middleware.own_store import OwnStore
from pmtwin.middleware.settings import NativeSettings
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.nvm_middleware.host import experiments
from pmtwin.scenarios.nvm_middleware.host.experiments import Cell
from pmtwin.sim.device.profile import Profile

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
        InputError, StoreError: at the first round that is measured: the store cannot be made.
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
        self._store = OwnStore(settings)
        self.samples: dict[str, list[float]] = {}

    def __enter__(self) -> Rounds:
        return self

    def __exit__(self, *_) -> None:
        self._store.close()

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
        claim_records(self._store, self._cells)
        both = self._store.opened(), stores.open_store("null")
        queue = self._settings.queue or ""
        return experiments.one_round(number, self._cells, *both, queue, self._profile, self._shortened)


def claim_records(store: OwnStore, some: Sequence[Cell]) -> None:
    """Raise `InputError` unless the store has room for the records of these cells."""
    for cell in some:
        if cell.store:
            store.claim(cell.workload(), cell.keys)
