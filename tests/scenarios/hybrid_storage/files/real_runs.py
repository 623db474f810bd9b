"""Runs of small random storages over files in a folder, and over the simulated devices."""

from contextlib import contextmanager

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.records import make_files
from pmtwin.scenarios.hybrid_storage.files.run import FilesRun
from pmtwin.scenarios.hybrid_storage.validation.scenario import whole_pages
from pmtwin.scenarios.hybrid_storage.validation.store import opened_store
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.stream import paged
from tests.sim.hybrid.storages import deciders, random_stream

PAGES = 160


def requests(seed, count=1500, gap_ns=2e4):
    """Requests of whole pages, some of one, some of several."""
    return whole_pages(paged(random_stream(seed, count, 150, gap_ns=gap_ns)))


def options(**values):
    """A fast file with a tenth of the pages."""
    return HybridOptions(**{"layout": "home", "fast": 10.0, "decision_ns": 0.0} | values)


@contextmanager
def folders(tmp_path):
    """Two folders, in which nothing is left."""
    parts = [tmp_path / name for name in ("fast", "slow")]
    for part in parts:
        part.mkdir(exist_ok=True)
    yield parts
    assert [path for part in parts for path in part.iterdir()] == []


@contextmanager
def store(tmp_path, slow_us=0.0):
    """Two open files of `PAGES` pages."""
    with folders(tmp_path) as parts, opened_store(parts, PAGES, slow_us) as opened:
        yield opened


def real_run(opened, chosen, pages, place, migrate, fast_only=False):
    """A run over the files, before its first request."""
    files = make_files(*opened.of_run(), max(int(pages.pages.max()), 64), chosen.queue + 1)
    opened.watch(files)
    states = deciders(chosen, pages, place, migrate)
    return FilesRun(chosen, pages, states, len(pages.first), 7, files, fast_only)


def versions(pages, count):
    """How often each page is written by the first requests."""
    written = np.zeros(len(pages.home), np.uint64)
    for row in range(count):
        first = pages.first[row]
        written[first : first + pages.pages[row]] += np.uint64(pages.stream.write[row])
    return written
