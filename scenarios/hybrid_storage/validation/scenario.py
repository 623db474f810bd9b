"""The scenario on both sides of a validation: whole pages, one thread, and devices that were measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.records import make_files
from pmtwin.scenarios.hybrid_storage.files.run import FilesRun
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import HybridSystem, measured_windows
from pmtwin.scenarios.hybrid_storage.validation.repeats import Repeated
from pmtwin.scenarios.hybrid_storage.validation.sampling import PAGES
from pmtwin.scenarios.hybrid_storage.validation.store import FileStore
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.run import Deciders
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged, paged


def whole_pages(requests: Paged) -> Paged:
    """The requests, rounded out to whole pages, which lie without gaps between them as in a file."""
    if requests.missing_head.any() or requests.missing_tail.any():
        stream = requests.stream
        begin = stream.offset // PAGE_BYTES * PAGE_BYTES
        size = -(-(stream.offset + stream.size) // PAGE_BYTES) * PAGE_BYTES - begin
        requests = paged(stream._replace(offset=begin, size=size))
    return requests._replace(home=np.arange(len(requests.home)))


class PagesOnDevices(HybridStorage):
    """The twin of two files."""

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        return SimulatedFiles(self, conditions, seed)


class PagesInFiles(PagesOnDevices):
    """Two files. Attribute `store`: the files, while there are some."""

    store: FileStore | None = None

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        return RealFiles(self, conditions, seed)

    @property
    def sequential(self):
        return True  # two runs at once would fight for the devices


class SimulatedFiles(HybridSystem):
    """The twin's storage."""

    def _new_requests(self) -> Paged:
        requests = whole_pages(super()._new_requests())
        if requests.stream.threads > 1:
            allowed = "a workload of one thread, not a mix: one thread sends all requests to the files"
            raise InputError(self._scenario.contexts.noun, self._conditions, allowed)
        return requests


class RealFiles(SimulatedFiles):
    """Files in the place of the devices; what Fast-Only would take is the twin's word."""

    _scenario: PagesInFiles

    def start(self, setting):
        if not self._policies:  # a trial, in which nobody decides: whether all pages have a place
            self._store.check_fits(len(self._new_requests().home))
            return
        store, self._options = (
            self._store,
            replace(self._options, storage=self._store.devices_in(self._options.storage)),
        )
        self._scenario = PagesInFiles(self._options)  # policies see the devices as they were measured
        self._scenario.store = store
        super().start(setting)

    def _begin(self, warmup_windows: int) -> None:
        """What runs for the first time runs twice: how far a run is from the same one again is then known."""
        control = self._store.control.setdefault((str(self._conditions), self._names()), {})
        if not control:
            super()._begin(warmup_windows)
            windows = warmup_windows + measured_windows(self._options)
            control[self._seed] = Repeated([self._window_us() for _ in range(windows)], [])
        super()._begin(warmup_windows)

    def run_window(self):
        super().run_window()
        control = self._store.control[(str(self._conditions), self._names())].get(self._seed)
        if control is not None and len(control.again) < len(control.first):
            control.again.append(self._measures["mean_us"])

    def _window_us(self) -> float:
        """Mean latency of the next window, in us."""
        super().run_window()
        return self._measures["mean_us"]

    def _names(self) -> tuple[str, ...]:
        return tuple(policy.name for policy, _ in self._policies.values())

    @property
    def _store(self) -> FileStore:
        if self._scenario.store is None:
            raise AssertionError("the files are not open")
        return self._scenario.store

    def _new_run(self, deciders: Deciders | None, key: int):
        requests, options = self._requests, self._options.storage
        self._store.check_fits(len(requests.home))
        rows = max(int(requests.pages.max()), max(PAGES))
        files = make_files(*self._store.of_run(), rows, options.queue + 1)
        self._store.watch(files)
        window = self._options.requests_per_window
        return FilesRun(options, requests, deciders or self._states(), window, key, files, fast_only=deciders is None)
