"""Block devices from the times of accesses."""

import numpy as np
import pytest

from pmtwin.scenarios.hybrid_storage.validation.calibration import CELLS, fitted
from pmtwin.scenarios.hybrid_storage.validation.fitting import PARTS, median_of_means, rows_of
from pmtwin.scenarios.hybrid_storage.validation.sampling import PAGES as SIZES
from pmtwin.scenarios.hybrid_storage.validation.sampling import Samples, joined
from pmtwin.sim.hybrid.devices import BlockDevice
from tests.scenarios.hybrid_storage.files.real_runs import PAGES, store

PAGE = 4096


def samples(device, count=4000, seed=0, sizes=SIZES, noise=0.0):
    """Accesses to a device of the model, without gaps and after some."""
    random = np.random.default_rng(seed)
    write, pages = random.integers(0, 2, count), random.choice(sizes, count)
    idle_ns = random.choice([1e4, 3e5, 2e6], count) * random.exponential(1.0, count)
    time = [
        device.alone_ns(bool(kind), size * PAGE) + device.wake_ns(bool(kind), idle)
        for kind, size, idle in zip(write, pages, idle_ns, strict=True)
    ]
    return Samples(np.zeros(count, int), write, pages, idle_ns, np.array(time) * random.lognormal(0, noise, count))


def in_a_row(latency_ns, servers=1, seek_ns=0.0):
    """Times of accesses of a page, one after another."""
    return {cell: (latency_ns + (0.0 if cell.sequential else seek_ns)) / min(cell.depth, servers) for cell in CELLS}


def block(**values):
    """A device with the same numbers for reads and writes."""
    return BlockDevice(name="x", read_gb_s=0.5, write_gb_s=0.5, read_us=50.0, write_us=50.0, capacity_gb=1.0, **values)


@pytest.mark.parametrize("servers", [1, 2])
def test_a_device_of_the_model_is_found_again(servers):
    expected = block(read_wake_us=60.0, write_wake_us=20.0, wake_half_us=1000.0)
    device = fitted("x", in_a_row(50e3, servers), samples(expected, noise=0.05), 1.0)
    assert (device.read_us, device.write_us) == pytest.approx((50.0, 50.0), rel=0.03)
    assert (device.read_gb_s, device.write_gb_s) == pytest.approx((0.5, 0.5), rel=0.03)
    assert (device.read_wake_us, device.write_wake_us) == pytest.approx((60.0, 20.0), rel=0.15)
    assert device.wake_half_us == pytest.approx(1000.0, rel=0.4)
    assert device.servers(False) == device.servers(True) == servers


def test_a_device_that_never_sleeps_takes_as_long_after_a_pause():
    device = fitted("x", in_a_row(50e3), samples(block()), 1.0)
    assert device.wake_ns(False, 1e6) + device.wake_ns(True, 1e6) == pytest.approx(0.0, abs=1.0)


def test_a_disk_has_seeks():
    device = fitted("x", in_a_row(100e3, seek_ns=8e6), samples(block(seek_us=8000.0)), 1.0)
    assert device.seek_us + device.read_us == pytest.approx(8050.0, rel=0.01) and device.seek_us > 7900.0


def test_times_that_do_not_grow_with_size_have_a_largest_bandwidth():
    alike = samples(block())._replace(latency_ns=np.full(4000, 1000.0))
    device = fitted("x", in_a_row(1000.0), alike, 1.0)
    assert device.read_us == pytest.approx(1.0) and device.read_gb_s == pytest.approx(1e3)
    single = fitted("x", in_a_row(50e3), samples(block(), sizes=[1]), 1.0)
    assert single.alone_ns(False, PAGE) == pytest.approx(block().alone_ns(False, PAGE), rel=0.01)


def test_a_stall_out_of_all_proportion_does_not_count_and_a_tail_does():
    values = np.full(900, 50.0)
    values[::10] = 150.0
    assert median_of_means(values) == pytest.approx(60.0)
    values[5] = 1e6
    assert median_of_means(values) == pytest.approx(60.0)
    assert median_of_means(np.arange(3.0)) == 1.0 and PARTS % 2


def test_the_first_access_to_a_device_has_no_idle_time_and_no_part():
    some = samples(block(), count=40)
    first = some._replace(idle_ns=np.full(40, np.nan), latency_ns=np.full(40, 1e12))
    assert rows_of(joined([first, some])) == rows_of(some)
    assert sum(row.samples for row in rows_of(some)) == 40


def test_accesses_to_files_are_timed_checked_and_leave_them_as_they_are(tmp_path):
    with store(tmp_path, slow_us=200.0) as opened:
        for _ in range(2):
            opened.measure(16, np.random.default_rng(1))
        assert len(opened.devices()) == 2
        used = {name: [row["us"] for row in times["as_used"]] for name, times in opened.times_us().items()}
        assert min(used["slow"]) > 200.0 and min(used["fast"]) < 200.0
        assert min(map(len, used.values())) > 8
        assert opened.reads().wrong == 0 and opened.reads().checked > 50
        assert not opened.of_run()[2].any() and opened.pages == PAGES
