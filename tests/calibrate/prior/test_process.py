"""The process of the family: its algebra, and what measurements make of it."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.context import Context, Latency, Peak
from pmtwin.calibrate.prior.family import shipped_family, surface
from pmtwin.calibrate.prior.observed import grid, known_of, peaks_of
from pmtwin.calibrate.prior.process import DevicePosterior, Known, covariance, variance_of
from pmtwin.sim.device import OPERATIONS, PATTERNS, load_profile

HELD_OUT = "optane-dcpmm-100-256gb"


@pytest.fixture(scope="module")
def family():
    return shipped_family(without=[HELD_OUT])


@pytest.fixture(scope="module")
def device():
    """Configurations that the device left out was measured at, with what its profile says."""
    configurations = grid(("load", "ntstore", "store"), PATTERNS, (64, 256, 1024), (1, 2, 4, 8, 16, 32), 6.0)
    return replace(configurations, bandwidth_mib_s=np.exp(surface(load_profile(HELD_OUT), configurations)[0]))


def seen(family, configurations, kind="pmem"):
    count = len(configurations)
    return Known(family.points(configurations, kind), np.log(configurations.bandwidth_mib_s), np.zeros(count))


def test_the_diagonal_is_that_of_the_covariance(family):
    points = family.points(grid(OPERATIONS, PATTERNS, (64, 4096), (1, 12), 8.0), "pmem")
    matrix = covariance(points, points, 0.6)
    assert np.allclose(np.diag(matrix), variance_of(points, 0.6))
    assert np.allclose(matrix, matrix.T) and np.linalg.eigvalsh(matrix).min() > -1e-9


def test_left_out_is_what_the_others_predict(family, device):
    known = seen(family, device.take(np.arange(0, 108, 9)))
    posterior = DevicePosterior({"pmem": known}, unlike=(0.6,))
    mean, sd = posterior.left_out()
    rest = np.arange(1, mean.size)
    without = DevicePosterior(
        {"pmem": Known(known.points.take(rest), known.log_bandwidth[rest], known.extra_sd[rest])}, unlike=(0.6,)
    )
    told, spread = without.predict({"pmem": known.points.take(np.array([0]))})
    assert told[0] == pytest.approx(mean[0]) and spread[0] == pytest.approx(sd[0])


def test_a_device_that_was_left_out_is_predicted_from_few_measurements(family, device):
    truth, order = np.log(device.bandwidth_mib_s), np.random.default_rng(2).permutation(len(device))
    every = {kind: family.points(device, kind) for kind in family.kinds}
    errors, halves = [], []
    for count in (5, 20, 40):
        part = device.take(order[:count])
        mean, sd = DevicePosterior({kind: seen(family, part, kind) for kind in family.kinds}).predict(every)
        aside = order[count:]
        errors.append(np.mean(np.abs(np.expm1(mean - truth))[aside]))
        halves.append(np.median(sd[aside]))
        assert np.mean(np.abs(mean - truth)[aside] <= 1.645 * sd[aside]) >= 0.8
    assert errors[1] < 0.1 and errors[2] < 0.07
    assert halves[0] > halves[1] > halves[2]


def test_the_kind_of_memory_is_found_out(device):
    whole = shipped_family()
    part = device.take(np.arange(0, 108, 7))
    posterior = DevicePosterior({kind: seen(whole, part, kind) for kind in whole.kinds})
    assert sum(share for (kind, _), share in posterior.share.items() if kind == "pmem") > 0.99


def test_more_channels_carry_more(family):
    six, twelve = (grid(("load",), ("sequential",), (4096,), (32,), dimms) for dimms in (6.0, 12.0))
    ratio = np.exp(family.points(twelve, "dram").mean - family.points(six, "dram").mean)
    assert 1.5 < ratio[0] < 2.5


def test_ratios_tell_of_writes():
    reads, stores, streams = 10_000.0, 4_000.0, 6_000.0
    three_to_one = 1.0 / (0.5 / reads + 0.5 / (2.0 * stores))
    triad = 1.0 / (2 / 3 / reads + 1 / 3 / streams)
    peaks = (
        Peak(1.0, False, reads),
        Peak(0.75, False, three_to_one),
        Peak(0.5, False, 2 * stores),
        Peak(2 / 3, True, triad),
    )
    told = {operation: bandwidth for operation, bandwidth, _ in peaks_of(Context(peaks=peaks))}
    assert told == pytest.approx({"load": reads, "store": stores, "ntstore": streams})
    assert peaks_of(Context(peaks=(Peak(1.0, False, reads), Peak(2 / 3, True, 1.6 * reads)))) == [
        ("load", reads, 0.15)
    ]  # a mix that leaves no time for writes tells nothing of them


def test_peaks_and_latency_alone_move_the_family(family):
    nothing = grid(("load",), ("random",), (), (), 6.0)
    peaks = (Peak(1.0, False, 60_000.0),)
    context = Context(peaks=peaks, latencies=(Latency("load", "random", 64, 90.0),))
    posterior = DevicePosterior({"dram": known_of(family, "dram", nothing, context, 6.0)})
    points = {"dram": family.points(grid(("load",), ("sequential",), (4096,), (16, 24, 32), 6.0), "dram")}
    mean, _ = posterior.predict(points)
    assert np.exp(mean.max()) == pytest.approx(60_000.0, rel=0.15)
