"""The store's law: what an operation asks for, and how a closed loop of threads runs it."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.parameters.store_law import STORE_PARAMETERS
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import load_store
from pmtwin.sim.store.law import place, solve
from pmtwin.sim.store.work import miss_share

OPTANE = load_profile("optane-dcpmm-100-128gb")
POINT = StorePoint("get", 1, 200.0, 1e8, cores=18)


def one_sample(**values: float) -> dict[str, np.ndarray]:
    """One sample of all parameters, at their prior's median unless told otherwise."""
    medians = {name: parameter.median for name, parameter in STORE_PARAMETERS.items()}
    return {name: np.array([float(value)]) for name, value in (medians | values).items()}


def throughput(point: StorePoint, profile=OPTANE, dimms: float = 6.0, **values: float) -> float:
    return float(solve([place(profile, point, dimms)], one_sample(**values)).throughput_ops[0, 0])


def test_a_store_in_the_caches_reads_nothing_from_the_device():
    small = POINT._replace(records=1000.0)
    assert miss_share(one_sample(), small)[0] == 0.0
    slow, fast = OPTANE, load_profile("dram-ddr4")
    assert throughput(small, slow) == pytest.approx(throughput(small, fast))
    assert throughput(small) == pytest.approx(1e9 / (250 + 0.183 * 200), rel=1e-6)


def test_more_records_are_slower_until_nothing_is_in_the_caches():
    rates = [throughput(POINT._replace(records=records)) for records in (1e4, 1e5, 1e6, 1e8, 1e9)]
    assert rates[0] > rates[1] > rates[2] > rates[3] > rates[4] > 0.7 * rates[3]


def test_one_get_takes_its_software_and_its_reads_one_after_the_other():
    sample = one_sample(extra_reads=2.0, cold_line_share=0.01, small_page_share=0.01, cold_software_ns=10)
    without = one_sample(extra_reads=1.0, cold_line_share=0.01, small_page_share=0.01, cold_software_ns=10)
    placed = [place(OPTANE, POINT, 6.0)]
    more, less = (float(solve(placed, each).latency_ns[0, 0]) for each in (sample, without))
    assert more - less == pytest.approx(OPTANE.idle_latency_ns["load", "random"], rel=0.01)


def test_the_media_cap_what_many_threads_write():
    writes = POINT._replace(operation="put_insert", threads=36)
    free, full = throughput(writes, written_lines_factor=0.3), throughput(writes, written_lines_factor=6.0)
    lines = 6.0 * 18.6 + 3.0 + 2.0
    device = place(OPTANE, writes, 6.0).device
    assert full < 0.5 * free
    assert full == pytest.approx(1e9 / (lines * device.write_media_ns), rel=0.15)


def test_a_serial_part_caps_inserts_and_no_gets():
    insert = POINT._replace(operation="put_insert", threads=36)
    assert throughput(insert, insert_serial_ns=4_000) < 1e9 / 4_000
    assert throughput(insert, insert_serial_ns=1) > 2e9 / 4_000
    get = POINT._replace(threads=36)
    assert throughput(get, insert_serial_ns=4_000) == throughput(get, insert_serial_ns=1)


def test_more_threads_than_hardware_threads_take_turns():
    at_once, more = (throughput(POINT._replace(threads=threads)) for threads in (36, 72))
    assert more == at_once


def test_an_update_after_a_get_finds_its_key_in_the_caches():
    update = POINT._replace(operation="put_update")
    alone = throughput(update._replace(gets_per_update=0))
    assert throughput(update) < alone < 1.25 * throughput(update)


def test_no_throughput_falls_with_threads_below_the_cores_and_all_are_finite():
    samples = load_store().fits["optane-dcpmm-100-128gb"].samples
    for operation in ("get", "put_insert", "put_update", "remove"):
        points = [POINT._replace(operation=operation, threads=n) for n in (1, 2, 4, 8, 16)]
        rates = np.median(solve([place(OPTANE, each, 6.0) for each in points], samples).throughput_ops, axis=1)
        assert np.all(np.isfinite(rates)) and np.all(np.diff(rates) > 0.0)


def test_a_profile_without_counts_is_refused():
    with pytest.raises(InputError, match=r"get\.dependent_reads"):
        place(replace(OPTANE, access_profile=None), POINT, 6.0)
