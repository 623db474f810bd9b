"""Requests over real files: the simulator's directories, the content of every page, errors, and nothing left."""

import os

import numpy as np
import pytest

from pmtwin.policies import Migration
from pmtwin.scenarios.hybrid_storage.files.content import WORDS, fill, is_right
from pmtwin.scenarios.hybrid_storage.files.records import REQUESTS
from pmtwin.scenarios.hybrid_storage.validation.scenario import whole_pages
from pmtwin.sim.errors import CheckFailedError
from pmtwin.sim.hybrid.running import start_run
from pmtwin.sim.hybrid.stream import PAGE_BYTES, make_stream, paged
from tests.scenarios.hybrid_storage.files.real_runs import PAGES, folders, options, real_run, requests, store, versions
from tests.sim.hybrid.storages import AnyMove, deciders


class NamesNoPage(Migration):
    """Names a page that there is not, once devices are idle."""

    def arrays(self, point, key):
        """Nothing."""
        return (np.zeros(1),)

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """A page beyond the last one."""
        return device_of.size * free.size


def content(opened, device, page):
    """The words of a page in a file."""
    return np.frombuffer(os.pread(opened.opened[device].handle, PAGE_BYTES, page * PAGE_BYTES), np.uint64)


def plain(opened):
    """Accesses of these tests need no buffer at the begin of a page."""
    import fcntl

    for each in opened.opened:
        flags = fcntl.fcntl(each.handle, fcntl.F_GETFL)
        fcntl.fcntl(each.handle, fcntl.F_SETFL, flags & ~os.O_DIRECT)


def test_without_moves_every_page_is_where_the_simulator_has_it(tmp_path):
    pages, chosen, place = requests(1), options(), "write-lru"
    twin = start_run(chosen, pages, deciders(chosen, pages, place, "stay"), window=1000, key=7)
    with store(tmp_path) as opened:
        real = real_run(opened, chosen, pages, place, "stay")
        for until in (400, 1500):
            twin.advance(until)
            real.advance(until)
            predicted, counted = twin.reading(), real.reading()
            assert (real.device_of() == twin.device_of()).all()
            assert counted.counts == predicted.counts and (counted.used == predicted.used).all()
            assert (counted.written == predicted.written).all() and (counted.read == predicted.read).all()
        assert (real.last()[1][-1000:] == twin.last()[1]).all()
        assert (real.state.device["data_ns"] == twin.state.device["data_ns"]).all()
        reads = opened.reads()
        assert reads.wrong == 0 and reads.checked * PAGE_BYTES == int(predicted.read.sum())


def test_a_thread_moves_pages_and_every_page_has_the_content_that_was_written_last(tmp_path):
    pages, chosen = requests(2, count=6000), options(idle_ms=0.1, idle_percent=60.0)
    with store(tmp_path) as opened:
        for _ in range(2):  # the second run begins with what the first one left in the files
            before = opened.of_run()[2][-1].copy()
            real = real_run(opened, chosen, pages, "random", AnyMove())
            for until in (1000, 6000):
                real.advance(until)
            plain(opened)
            current = versions(pages, 6000) + before[: len(pages.home)]
            for page, device in enumerate(real.device_of()):
                assert is_right(content(opened, device, page), page, current[page])
        assert real.reading().counts["moves"] > 10
        assert opened.reads().wrong == 0 and opened.reads().checked > 1000


@pytest.mark.parametrize(("measure", "moves"), [("time", False), ("bandwidth", True)])
def test_a_slow_file_that_is_never_left_alone_is_idle_by_its_bandwidth(measure, moves, tmp_path):
    pages = whole_pages(paged(make_stream(0.0, np.arange(300) * 7 % 150 * PAGE_BYTES, PAGE_BYTES, False)))
    chosen = options(fast=50.0, idle_ms=20.0, idle_measure=measure, scan=0)  # pages are named in idle time alone
    with store(tmp_path, slow_us=1000.0) as opened:
        real = real_run(opened, chosen, pages, "random", AnyMove())
        real.advance(300)
        assert (real.reading().counts["moves"] > 0) == moves
        assert opened.reads().wrong == 0 and opened.reads().checked >= 300


def test_latencies_are_those_of_accesses_and_of_waits_for_moves(tmp_path):
    pages, chosen = requests(8), options(idle_ms=0.05, idle_percent=100.0)
    with store(tmp_path, slow_us=50.0) as opened:
        real = real_run(opened, chosen, pages, "random", AnyMove())
        real.advance(1500)
        sent = real.files.thread[REQUESTS]
        latency_ns = real.last()[0]
        assert latency_ns.sum() == pytest.approx(sent["accesses_ns"] + sent["waits_ns"])
        assert opened.reads().own_us == pytest.approx((sent["requests_ns"] - latency_ns.sum()) / 1500 / 1e3)
        assert opened.reads().own_us > 0.0 and sent["requests"] == 1500


def test_the_fast_file_alone_serves_all_where_it_holds_all(tmp_path):
    pages, chosen = requests(3), options()
    with store(tmp_path) as opened:
        real = real_run(opened, chosen, pages, "write-lru", "stay", fast_only=True)
        real.advance(300)
        assert opened.reads().wrong == 0 and not real.device_of().any() and real.reading().counts["evictions"] == 0


@pytest.mark.parametrize("version", [0, 5])
def test_bytes_that_nobody_wrote_are_found(version, tmp_path):
    pages, chosen = requests(4), options()
    with store(tmp_path) as opened:
        plain(opened)
        read = next(row for row in np.flatnonzero(~pages.stream.write) if not versions(pages, row)[pages.first[row]])
        wrong, page = np.zeros(WORDS, np.uint64), int(pages.first[read])
        if version:  # a whole page, but of another version
            fill(wrong, page, np.uint64(version))
        os.pwrite(opened.opened[1].handle, wrong.tobytes(), page * PAGE_BYTES)
        real_run(opened, chosen, pages, "write-lru", "stay").advance(read + 1)
        assert opened.reads().wrong == 1


def test_a_slowed_file_takes_that_much_longer(tmp_path):
    pages, chosen = requests(5), options()
    with store(tmp_path, slow_us=300.0) as opened:
        real = real_run(opened, chosen, pages, "write-lru", "stay")
        real.advance(50)
        assert real.last()[0].max() >= 300e3


def test_an_access_that_fails_ends_the_run_with_the_systems_words(tmp_path):
    pages, chosen = requests(6), options()
    with store(tmp_path) as opened:
        real = real_run(opened, chosen, pages, "write-lru", "stay")
        real.files.file["handle"][1] = 10**6
        with pytest.raises(CheckFailedError, match=r"of device 1 .*Bad file descriptor"):
            real.advance(50)


def test_an_error_of_a_policy_ends_both_threads(tmp_path):
    pages, chosen = requests(7, count=600, gap_ns=1e6), options(idle_ms=0.1, idle_percent=100.0)
    with store(tmp_path) as opened:
        for scan in (0, 1):  # in the mover's thread, and in that of the requests
            real = real_run(
                opened, options(idle_ms=0.1, idle_percent=100.0, scan=scan), pages, "write-lru", NamesNoPage()
            )
            with pytest.raises(ValueError, match="names a page or a device that there is not"):
                real.advance(600)
        after = real_run(opened, chosen, pages, "write-lru", "stay")
        after.advance(100)
        assert after.reading().answered == 100


def test_files_have_no_names_and_leftovers_are_removed(tmp_path):
    with folders(tmp_path) as parts:
        (parts[0] / "pmtwin-pages-abc").write_text("of a killed run")
        with store(tmp_path) as opened:
            assert [path for part in parts for path in part.iterdir()] == []
            assert os.fstat(opened.opened[1].handle).st_size == PAGES * PAGE_BYTES
