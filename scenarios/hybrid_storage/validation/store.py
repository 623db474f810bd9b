"""The two open files of a validation: their pages, their devices as measured so far, and all reads of all runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.records import REQUESTS, Files, make_files
from pmtwin.scenarios.hybrid_storage.validation.calibration import Cell, fitted, measure
from pmtwin.scenarios.hybrid_storage.validation.devices import MeasuredDevices, on_devices
from pmtwin.scenarios.hybrid_storage.validation.fitting import rows_of
from pmtwin.scenarios.hybrid_storage.validation.page_files import PageFile, page_file
from pmtwin.scenarios.hybrid_storage.validation.repeats import Repeated
from pmtwin.scenarios.hybrid_storage.validation.sampling import PAGES, Samples, joined, sampled
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import US, BlockDevice
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.stream import PAGE_BYTES

NAMES = ("fast", "slow")
"""The devices, and the options that name their folders."""


class Reads(NamedTuple):
    """Pages that were read and checked, and those of them with wrong content.

    `own_us`: time of a request outside of its accesses, in us.
    """

    checked: int
    wrong: int
    own_us: float


class FileStore:
    """Two open files.

    Args:
        opened: the files, the fast one first. pages: of each. slow_us: by which each access to the slow one is slower.
    """

    def __init__(self, opened: Sequence[PageFile], pages: int, slow_us: float):
        self.opened, self.pages = opened, pages
        self._delays_ns = [0.0, slow_us * US]
        self._stored = np.zeros((len(opened), pages), np.uint64)
        self._threads: list[np.ndarray] = []
        self._means: tuple[dict[Cell, list[float]], ...] = (defaultdict(list), defaultdict(list))
        self._samples: list[Samples] = []
        self.control: dict[tuple[str, tuple[str, ...]], dict[int, Repeated]] = {}

    def of_run(self) -> tuple[list[int], list[float], np.ndarray]:
        """Handles, delays in ns, and versions in the files: the first arguments of `make_files`."""
        return [each.handle for each in self.opened], self._delays_ns, self._stored

    def watch(self, files: Files) -> None:
        """Count the reads of a run as well."""
        self._threads.append(files.thread)

    def check_fits(self, pages: int) -> None:
        """Raise `InputError` if a run has more pages than the files."""
        if pages > self.pages:
            raise InputError("footprint_pages", self.pages, f"{pages:,} or more: the pages of all requests")

    def measure(self, fast_pages: int, rng: np.random.Generator) -> None:
        """Time accesses to both files; to the fast one as many pages as it holds at once."""
        files = make_files(*self.of_run(), max(PAGES), 1)
        self.watch(files)
        room = fast_pages, self.pages
        self._samples.append(sampled(files, room, rng))
        for device, (means, pages) in enumerate(zip(self._means, room, strict=True)):
            for cell, mean in measure(files, device, pages, rng).items():
                means[cell].append(mean)

    def _times(self) -> list[Mapping[Cell, float]]:
        """Times of accesses in a row of each kind to each file, in ns: the median of the means of all measurements."""
        return [{cell: float(np.median(values)) for cell, values in means.items()} for means in self._means]

    def _samples_of(self, device: int) -> Samples:
        samples = joined(self._samples)
        return samples.chosen(samples.device == device)

    def times_us(self) -> dict[str, dict[str, list[dict]]]:
        """Device -> its accesses `in_a_row` by kind, and `as_used` by kind, size and idle time, in us, for a record."""
        return {
            name: {
                "in_a_row": [{**cell._asdict(), "us": time / US} for cell, time in times.items()],
                "as_used": [row.document() for row in rows_of(self._samples_of(device))],
            }
            for device, (name, times) in enumerate(zip(NAMES, self._times(), strict=True))
        }

    def devices(self) -> tuple[BlockDevice, ...]:
        """The devices as measured so far; empty before."""
        if not all(self._means):
            return ()
        capacity = self.pages * PAGE_BYTES / 1e9
        return tuple(
            fitted(name, means, self._samples_of(device), capacity)
            for device, (name, means) in enumerate(zip(NAMES, self._times(), strict=True))
        )

    def devices_in(self, storage: HybridOptions) -> MeasuredDevices:
        """The options with these devices."""
        return on_devices(storage, self.devices())

    def repeats(self) -> dict[str, list[float]]:
        """Workload -> how far runs are from the same ones again, in percent, a number for each policy."""
        apart: dict[str, list[float]] = {}
        for (workload, _), runs in self.control.items():
            apart.setdefault(workload, []).extend(run.apart for run in runs.values() if run.again)
        return apart

    def reads(self) -> Reads:
        """The reads of all runs and measurements so far."""
        threads = np.array(self._threads)
        sent = threads[:, REQUESTS]
        own_ns = float((sent["requests_ns"] - sent["accesses_ns"] - sent["waits_ns"]).sum()) / max(
            int(sent["requests"].sum()), 1
        )
        return Reads(int(threads["reads"].sum()), int(threads["wrong"].sum()), own_ns / US)


@contextmanager
def opened_store(folders: Sequence[Path], pages: int, slow_us: float) -> Iterator[FileStore]:
    """The files in these folders, gone at the end.

    Raises:
        InputError: if a file cannot be made.
    """
    with page_file(folders[0], NAMES[0], pages) as fast, page_file(folders[1], NAMES[1], pages) as slow:
        yield FileStore((fast, slow), pages, slow_us)
