"""Time that fio spends on an access is not called the device's."""

import pytest

from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.fio_own_work import OWN_WORK
from tests.calibrate.made_fio import IDLE, job, moved, printed


@pytest.fixture
def read_run(tmp_path):
    """Function of a size, the ns of a thread for an access, and the part of them that is latency."""

    def read(size: int, time_ns: float, latency_ns: float, threads: int = 1):
        accesses = int(threads * 30_000 * 1e6 / time_ns)
        entry = job("r", "randread", read=moved(accesses, size, latency_ns), bs=str(size), numjobs=str(threads))
        path = tmp_path / "fio.out"
        path.write_text(printed(entry | {"job_runtime": threads * 30_000}, ioengine="libpmem"))
        return read_sources([path])[0]

    return read


@pytest.mark.parametrize(
    ("size", "time_ns", "latency_ns"),
    [
        (64, 579, 149),
        (64, 3939, 2037),
        (256, 934, 347),
        (1024, 1556, 914),
        (64, 300, 0),
        (256, 800, 0),
        (64, 800, 1100),
    ],
)
def test_short_accesses_that_fio_spends_its_time_on_are_dropped(read_run, size, time_ns, latency_ns):
    """Times of fio 3.33, libpmem, on memory; without latencies (gtod_reduce) nothing tells them apart."""
    read = read_run(size, time_ns, latency_ns)
    ((reason, count),) = read.dropped.items()
    assert len(read) == 0 and count == 1 and "fio's own work" in reason


def test_a_device_that_keeps_many_threads_waiting_is_measured(read_run):
    read = read_run(64, time_ns=2600, latency_ns=2350, threads=16)
    assert len(read) == 1 and read.context.notes[-1] == OWN_WORK


def test_a_longer_access_counts_and_its_share_is_said(read_run):
    assert read_run(65_536, 10_248, 9_866).context.notes[-1] == OWN_WORK
    assert read_run(65_536, 22_000, 1_100).context.notes[-1] == OWN_WORK  # 20 us of one access are not fio's
    assert "up to 20 % of the time" in read_run(4096, 1652, 1320).context.notes[-1]
    (note,) = [each for each in read_run(4096, 1652, 1000).context.notes if "own work" in each]
    assert note.startswith("warning: fio's own work is up to 39 % of the time of an access")


def test_no_latency_of_a_direction_without_accesses_is_looked_at(tmp_path):
    """fio 2 prints the mean of nothing as nan."""
    idle = IDLE | {"clat_ns": IDLE["clat_ns"] | {"mean": None}}
    path = tmp_path / "fio.json"
    path.write_text(printed(job("r", "randread", read=moved(5_000_000), write=idle)))
    read = read_sources([path])[0]
    assert len(read) == 1 and not read.dropped


def test_a_run_is_either_used_or_dropped(tmp_path):
    damaged = moved(5_000_000) | {"clat_ns": {"mean": None}}
    path = tmp_path / "fio.json"
    path.write_text(printed(job("r", "randread", read=moved(5_000_000)), job("d", "randread", read=damaged)))
    read = read_sources([path])[0]
    assert (len(read), sum(read.dropped.values()), read.sources[0].rows) == (1, 1, 2)
