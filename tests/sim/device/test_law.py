"""The law: each factor does what it says, and the whole is finite wherever the simulator may ask."""

import numpy as np
import pytest

from pmtwin.sim.device import OPERATIONS, PATTERNS, law, load_profile
from pmtwin.sim.device.contention import contention_loss
from pmtwin.sim.device.geometry import between_one_and_full, media_line_use
from pmtwin.sim.device.interleaving import collision_loss
from pmtwin.sim.device.issue import convoy_time_ns, drain_time_ns, issue_bound_mib_s, streaming_share
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.parameters import LAW_PARAMETERS
from pmtwin.sim.device.power import power_factor
from pmtwin.sim.device.write_combining import amplification

RANDOM, SEQUENTIAL = np.array(True), np.array(False)
PLAIN = {name: parameter.start for name, parameter in LAW_PARAMETERS.items()} | {
    "first_line_random_ns": 40.0,
    "first_line_sequential_ns": 20.0,
    "further_line_ns": 10.0,
    "line_pair_ns": 0.0,
    "drain_ns": 0.0,
    "convoy_ns": 0.0,
    "media_mib_s": 1000.0,
    "queueing": 0.0,
    "eviction_amplification": 1.0,
    "scatter": 0.0,
    "worst_amplification": 1.0,
    "collision": 0.0,
    "contention_depth_one_dimm": 0.0,
    "contention_depth_full_set": 0.0,
}
"""Every optional effect switched off: what is left can be worked out by hand."""


def a(*values):
    return np.array(values, dtype=float)


def test_one_thread_issues_one_access_per_access_time():
    # 256 B are four lines: 40 + 3 * 10 = 70 ns random, 20 + 3 * 10 = 50 ns sequential.
    mib_per_byte_per_ns = 1e9 / 2**20
    assert issue_bound_mib_s(PLAIN, RANDOM, a(256), a(1))[0] == pytest.approx(256 / 70 * mib_per_byte_per_ns)
    assert issue_bound_mib_s(PLAIN, SEQUENTIAL, a(256), a(3))[0] == pytest.approx(3 * 256 / 50 * mib_per_byte_per_ns)


def test_only_a_random_pair_of_lines_pays_for_the_adjacent_line_prefetcher():
    with_pair = PLAIN | {"line_pair_ns": 9.0}
    sizes = a(64, 100, 128, 192)
    extra = 1 / issue_bound_mib_s(with_pair, RANDOM, sizes, a(1)) - 1 / issue_bound_mib_s(PLAIN, RANDOM, sizes, a(1))
    assert extra * sizes * 1e9 / 2**20 == pytest.approx([0, 9, 9, 0])
    sequential = issue_bound_mib_s(with_pair, SEQUENTIAL, sizes, a(1))
    assert sequential == pytest.approx(issue_bound_mib_s(PLAIN, SEQUENTIAL, sizes, a(1)))


def test_the_pipeline_drains_between_long_accesses_only():
    draining = PLAIN | {"drain_ns": 300.0, "drain_random_bytes": 8192.0, "drain_exponent": 3.0}
    assert drain_time_ns(draining, RANDOM, a(8192))[0] == pytest.approx(150.0)
    assert drain_time_ns(draining, RANDOM, a(64, 1e6)) == pytest.approx([0, 300], abs=1e-3)
    assert streaming_share(draining, RANDOM, a(64))[0] == pytest.approx(1.0, abs=1e-5)


def test_convoys_form_at_one_chunk_from_a_number_of_threads():
    convoying = PLAIN | {"convoy_ns": 600.0, "convoy_threads": 6.0, "convoy_sharpness": 4.0}
    waits = convoy_time_ns(convoying, SEQUENTIAL, np.full(3, 4096.0), a(1, 6, 24))
    assert waits == pytest.approx([0, 300, 600], abs=0.1)
    assert convoy_time_ns(convoying, SEQUENTIAL, a(256, 65536), a(24, 24)) == pytest.approx([0, 0], abs=0.1)
    assert convoy_time_ns(convoying, RANDOM, a(4096), a(24))[0] == 0.0


def test_accesses_below_a_media_line_waste_the_rest_of_it():
    assert media_line_use(a(64, 128, 192, 256, 320, 512)) == pytest.approx([0.25, 0.5, 0.75, 1, 0.625, 1])


def test_amplification_rises_to_the_worst_with_streams_per_dimm():
    buffer = PLAIN | {
        "worst_amplification": 4.0,
        "critical_streams_one_dimm": 8.0,
        "critical_streams_full_set": 8.0,
        "stream_exponent": 2.0,
        "partial_line_exponent": 1.0,
    }
    first = a(1)
    assert amplification(buffer, RANDOM, a(256), a(8), first, first)[0] == pytest.approx(2.5)  # half-way from 1 to 4
    assert amplification(buffer, RANDOM, a(128), a(4), first, first)[0] == pytest.approx(3.0)  # half lines: s* is 4
    assert amplification(buffer, RANDOM, a(64), a(100), first, first)[0] == pytest.approx(4.0)
    assert amplification(buffer, SEQUENTIAL, a(64), a(0.01), first, first)[0] == pytest.approx(1.0, abs=1e-5)
    assert amplification(buffer, RANDOM, a(256), a(48), a(6), first)[0] == pytest.approx(2.5)  # 8 streams a DIMM


def test_random_accesses_of_a_chunk_collide_on_interleaved_dimms():
    colliding = PLAIN | {"collision": 0.4, "collision_rise": 1.0, "collision_fall": 1.0}
    assert collision_loss(colliding, RANDOM, a(4096), a(6))[0] == pytest.approx(0.4)
    assert collision_loss(colliding, RANDOM, a(4096), a(1))[0] == 0.0
    assert collision_loss(colliding, SEQUENTIAL, a(4096), a(6)) == 0.0
    assert collision_loss(colliding, RANDOM, a(2048), a(6))[0] == pytest.approx(0.4 * 2 / 2.5)


def test_contention_is_a_step_at_the_critical_number_of_streams():
    contended = PLAIN | {
        "contention_depth_one_dimm": 0.5,
        "contention_depth_full_set": 0.5,
        "critical_threads_one_dimm": 10.0,
        "critical_threads_full_set": 10.0,
        "contention_bytes": 1e-9,
        "contention_exponent": 8.0,
        "contention_slope": 1.0,
    }
    losses = contention_loss(contended, a(256), a(1, 10, 40), a(1), a(1))
    assert losses == pytest.approx([0, 0.25, 2.0], abs=1e-3)


def test_the_power_factor_is_one_at_15_watt_and_constant_outside_the_measured_budgets():
    powered = PLAIN | {"low_power_exponent": 2.0, "high_power_exponent": 1.0}
    assert power_factor(powered, a(12.5, 15, 18)) == pytest.approx([(12.5 / 15) ** 2, 1, 1.2])
    assert power_factor(powered, a(5, 40)) == pytest.approx([(12.5 / 15) ** 2, 1.2])


def test_bandwidth_is_the_soft_minimum_of_both_bounds():
    plain = PLAIN | {"softness": 4.0}
    issue = issue_bound_mib_s(plain, RANDOM, a(256), a(1))[0]
    media = law.media_bound_mib_s(plain, RANDOM, a(256), a(1), a(6), a(15))[0]
    assert media == pytest.approx(6000)
    together = law.bandwidth_mib_s(plain, RANDOM, a(256), a(1), a(6), a(15))[0]
    assert together == pytest.approx((issue**-4 + media**-4) ** -0.25)


def test_losses_overlap_in_their_norm():
    lossy = PLAIN | {"collision": 0.3, "contention_depth_one_dimm": 0.4, "contention_depth_full_set": 0.4}
    lossy |= {"critical_threads_one_dimm": 1.0, "critical_threads_full_set": 1.0, "contention_slope": 1e-9}
    at = (RANDOM, a(4096), a(1e6), a(6), a(15))
    added = law.media_bound_mib_s(lossy | {"overlap_norm": 1.0}, *at)[0]
    hidden = law.media_bound_mib_s(lossy | {"overlap_norm": 2.0}, *at)[0]
    assert added == pytest.approx(6000 / 1.7, rel=1e-6)
    assert hidden == pytest.approx(6000 / 1.5, rel=1e-6)


def test_between_one_dimm_and_six_a_parameter_follows_a_power():
    assert between_one_and_full(2.0, 18.0, a(1, 6)) == pytest.approx([2, 18])
    middle = between_one_and_full(2.0, 18.0, np.sqrt(a(6)))
    assert middle == pytest.approx([6.0])  # the geometric mean


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_shipped_law_is_finite_positive_and_smooth_everywhere(operation, pattern):
    profile = load_profile()
    sizes = np.array([1, 63, 64, 65, 100, 128, 256, 1000, 4096, 1e6, 2**26])[:, None, None]
    threads = np.geomspace(0.01, 512, 2000)[:, None]
    bandwidth = bandwidth_mib_s(profile, operation, pattern, sizes, threads, np.arange(1, 7))
    assert bandwidth.shape == (11, 2000, 6)
    assert np.all(np.isfinite(bandwidth)) and np.all(bandwidth > 0)
    steps = np.abs(np.diff(np.log(bandwidth), axis=1)) / np.diff(np.log(threads), axis=0)
    assert steps.max() < 10.0  # elasticity: 1 % more threads never changes bandwidth by more than 10 %


@pytest.mark.parametrize("operation", OPERATIONS)
def test_few_threads_scale_linearly(operation):
    profile = load_profile()
    first, hundredth = bandwidth_mib_s(profile, operation, "random", 1024, a(0.01, 0.0001))
    assert first / hundredth == pytest.approx(100, rel=5e-3)
