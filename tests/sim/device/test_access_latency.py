"""Single accesses: what is drawn, what is computed and what was measured agree."""

import math

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.access_latency import AccessLatency


@pytest.fixture(scope="module")
def tail():
    return load_profile().tail


@pytest.fixture(scope="module")
def write():
    """A 256 B write to a hot block of 4 KiB; 271 ns on average (FAST'20, section 3.3)."""
    return AccessLatency(271.0, load_profile().tail, lines=1.0, region_bytes=4096)


def test_drawn_latencies_have_the_computed_quantiles(write):
    drawn = write.sample(2_000_000, np.random.default_rng(1))
    for probability in (0.01, 0.5, 0.99, 0.999):
        assert np.quantile(drawn, probability) == pytest.approx(float(write.quantile(probability)), rel=0.005)
    assert np.mean(drawn > 20_000) == pytest.approx(float(write.exceedance(20_000)), rel=0.3)


def test_a_quantile_is_exceeded_by_the_rest(write):
    for probability in (0.5, 0.99, 0.9999, 0.99999):
        assert float(write.exceedance(write.quantile(probability))) == pytest.approx(1 - probability, rel=2e-3)


def test_the_body_has_the_mean_that_was_asked_for(tail):
    assert AccessLatency(300.0, load_profile().tail).sample(200_000, np.random.default_rng(0)).mean() == pytest.approx(
        300.0, rel=0.002
    )
    median = 300.0 * math.exp(-(tail.write_body_sigma**2) / 2)
    assert float(AccessLatency(300.0, load_profile().tail).quantile(0.5)) == pytest.approx(median, rel=1e-9)


@pytest.mark.parametrize(
    ("region", "p99_999_us"),
    # FAST'20, figure 3: stalls reach the 99.999th percentile in hot spots up to 32 KiB, and not beyond 64 KiB.
    [(256, 52.7), (4096, 51.0), (32_768, 48.4), (131_072, 0.39), (1 << 26, 0.39)],
)
def test_the_tail_of_hot_spots_is_the_published_one(region, p99_999_us):
    result = float(AccessLatency(271.0, load_profile().tail, 1.0, region).quantile(0.99999)) / 1000
    assert result == pytest.approx(p99_999_us, rel=0.2)


def test_reads_and_writes_without_a_hot_spot_do_not_stall_for_wear(tail):
    profile = load_profile()
    assert float(AccessLatency(300.0, profile.tail).exceedance(5_000)) < 1e-100
    many = AccessLatency(300.0, profile.tail, lines=100.0)
    assert float(many.exceedance(5_000)) == pytest.approx(1 - (1 - tail.rare_stall_probability) ** 100, rel=1e-6)


def test_kinds_of_accesses_are_computed_side_by_side():
    both = AccessLatency(np.array([200.0, 400.0]), load_profile().tail, np.array([1.0, 40_000.0]))
    alone = [
        float(AccessLatency(m, load_profile().tail, n).quantile(0.99)) for m, n in ((200.0, 1.0), (400.0, 40_000.0))
    ]
    assert both.quantile(0.99) == pytest.approx(alone)
    assert alone[1] > 9_000  # one in 25 of the longer ones meets a rare stall
