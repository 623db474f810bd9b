"""Block devices from the times of accesses."""

import numpy as np
import pytest

from pmtwin.scenarios.hybrid_storage.validation.calibration import CELLS, fitted
from tests.scenarios.hybrid_storage.files.real_runs import PAGES, store

PAGE = 4096


def times(latency_ns, gb_s, servers=1, seek_ns=0.0):
    """Times of a device with these numbers."""
    result = {}
    for cell in CELLS:
        seek = 0.0 if cell.sequential else seek_ns
        alone = latency_ns + seek + cell.pages * PAGE / gb_s
        result[cell] = alone / min(cell.depth, servers)
    return result


@pytest.mark.parametrize("servers", [1, 2])
def test_a_device_of_the_model_is_found_again(servers):
    device = fitted("x", times(50e3, 0.5, servers), 1.0)
    assert (device.read_us, device.write_us) == pytest.approx((50.0, 50.0))
    assert (device.read_gb_s, device.write_gb_s) == pytest.approx((0.5, 0.5))
    assert device.servers(False) == device.servers(True) == servers


def test_a_disk_has_seeks():
    device = fitted("x", times(100e3, 0.2, seek_ns=8e6), 1.0)
    assert device.seek_us == pytest.approx(8000.0) and device.read_us == pytest.approx(100.0, rel=0.01)


def test_times_that_do_not_grow_with_size_have_a_largest_bandwidth():
    device = fitted("x", dict.fromkeys(CELLS, 1000.0), 1.0)
    assert device.read_us == pytest.approx(1.0) and device.read_gb_s == pytest.approx(1e3)


def test_accesses_to_files_are_timed_checked_and_leave_them_as_they_are(tmp_path):
    with store(tmp_path, slow_us=200.0) as opened:
        for _ in range(2):
            opened.measure(16, np.random.default_rng(1))
        fast, slow = opened.devices()
        assert slow.read_us > 200.0 and fast.read_us < slow.read_us
        assert opened.reads().wrong == 0 and opened.reads().checked > 50
        assert not opened.of_run()[2].any() and opened.pages == PAGES
