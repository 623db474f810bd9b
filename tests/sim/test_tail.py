"""The latency of one operation on an idle device is the sum of its accesses, each drawn on its own, up to p99.999."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.model.engines import make_engine
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.model.requests import Draws, draw_block
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.access_latency import AccessLatency
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.draws import class_keys
from pmtwin.sim.parameters.values import resolve

COUNT = 4_000_000
QUANTILES = {0.5: 0.001, 0.9: 0.001, 0.99: 0.002, 0.999: 0.003, 0.9999: 0.006, 0.99999: 0.03}
"""How far apart, relatively, finite samples may be; stalls from 9 to 60 us make the last ones long."""

NO_SOFTWARE = {"handoff_ns": 0, "get_software_ns": 0, "put_software_ns": 0, "get_copy_ns_per_byte": 0,
               "put_copy_ns_per_byte": 0, "client_wakeup_ns": 0, "direct_remote": 0}  # fmt: skip
OFF = ClassWorkload(0, 0.0, 64, 64)


def model_of(load: ClassWorkload):
    return build_model(load_profile(), Workload("alone", load, OFF), resolve() | NO_SOFTWARE, direct=True)


def drawn_ns(load: ClassWorkload) -> np.ndarray:
    """Operations alone on the device, as both engines draw them."""
    draws = Draws(*draw_block(model_of(load).records, np.uint64(3), 0, 0, COUNT))
    return draws.device_ns + draws.stall_ns


def composed_ns(parts: list[tuple[int, AccessLatency]]) -> np.ndarray:
    """Sums of so many accesses of each kind, every one drawn from its distribution."""
    rng = np.random.default_rng(17)
    return sum(access.sample(COUNT, rng) for count, access in parts for _ in range(count))


def assert_same_distribution(drawn: np.ndarray, composed: np.ndarray) -> None:
    assert drawn.mean() == pytest.approx(composed.mean(), rel=0.001)
    for quantile, tolerance in QUANTILES.items():
        assert np.quantile(drawn, quantile) == pytest.approx(np.quantile(composed, quantile), rel=tolerance), quantile


def payload_ns(operation: str, size: float) -> float:
    return size / float(bandwidth_mib_s(load_profile(), operation, "random", size, 1)) * 1e9 / 2**20


def test_an_isolated_get_is_its_three_dependent_reads_and_its_payload():
    tail, idle = load_profile().tail, load_profile().idle_latency_ns["load", "random"]
    composed = composed_ns([(3, AccessLatency(idle, tail)), (1, AccessLatency(payload_ns("load", 50), tail))])
    assert_same_distribution(drawn_ns(ClassWorkload(1, 0.0, 50, 50)), composed)


def test_an_isolated_put_is_its_reads_its_persists_and_two_copies_of_its_payload():
    """A tenth of the writes meet hot blocks, and stall once in 16,000 lines there."""
    profile = load_profile()
    hot = replace(profile.tail, stall_probability=0.1 * profile.tail.stall_probability)
    composed = composed_ns([
        (4, AccessLatency(profile.idle_latency_ns["load", "random"], profile.tail)),
        (5, AccessLatency(profile.idle_latency_ns["store_clwb", "random"], hot, 1.0, 0.0)),
        (2, AccessLatency(payload_ns("store_clwb", 50), hot, 50 / 256, 0.0)),
    ])  # fmt: skip
    drawn = drawn_ns(ClassWorkload(1, 1.0, 50, 50))
    assert_same_distribution(drawn, composed)
    for limit in (8e3, 20e3, 53e3):
        expected = np.sum(composed > limit)
        assert np.sum(drawn > limit) == pytest.approx(expected, abs=5 * np.sqrt(2 * expected + 1)), limit


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_an_isolated_client_measures_what_was_drawn(engine):
    """One client, no software: the latency of each request is its stall and its time on the device."""
    count, keys = 2_000, class_keys(np.random.SeedSequence(5))
    model = model_of(ClassWorkload(1, 0.7, 64, 100_000))
    window = make_engine(engine, model, keys, (1, 1)).run_window(count, (0, 0))
    draws = Draws(*draw_block(model.records, keys[0], 0, 0, count))
    assert np.count_nonzero(draws.stall_ns) > 3
    np.testing.assert_allclose(window.latency_ns, draws.device_ns + draws.stall_ns, rtol=1e-6)


@pytest.mark.parametrize("others", [0, 30])
def test_a_stall_is_as_long_under_any_load(others):
    """It is a pause of the media, not work that is shared."""
    model = build_model(
        load_profile(), Workload("loaded", ClassWorkload(8, 1.0, 64, 64), ClassWorkload(others, 0.0, 65_536, 64)),
        resolve() | NO_SOFTWARE | {"hot_write_share": 1.0}, direct=True,
    )  # fmt: skip
    window = make_engine("compiled", model, class_keys(np.random.SeedSequence(2)), (1, 1)).run_window(400_000, (0, 0))
    writes = window.latency_ns[window.classes == 0]
    stalled = writes[writes > 35_000.0] - np.median(writes)
    assert stalled.size > 20
    assert stalled.mean() == pytest.approx(load_profile().tail.stall_ns, rel=0.06)
