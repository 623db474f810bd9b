"""Far percentiles: right to a tenth of a percent, the same however collected, and none from too few requests."""

import pickle

import numpy as np
import pytest

from pmtwin.sim.numerics.latency_tail import LEAST_BEYOND, TAILS, LatencyTail


def tail_of(latency_us: np.ndarray) -> LatencyTail:
    tail = LatencyTail()
    tail.add(latency_us)
    return tail


@pytest.fixture(scope="module")
def latencies() -> np.ndarray:
    return np.random.default_rng(4).lognormal(3.0, 1.0, 2_000_000)


def test_percentiles_are_those_of_the_sorted_latencies(latencies):
    tail = tail_of(latencies)
    assert tail.requests == latencies.size
    for beyond in TAILS.values():
        assert tail.percentile_us(beyond) == pytest.approx(np.quantile(latencies, 1 - beyond), rel=2e-3)


def test_intervals_contain_the_true_percentile(latencies):
    for name, entry in tail_of(latencies).summary().items():
        if name != "requests":
            true = np.exp(3.0 + _normal_quantile(TAILS[name]))
            assert entry["low"] < entry["us"] < entry["high"]
            assert 0.97 * entry["low"] < true < 1.03 * entry["high"]


def _normal_quantile(beyond: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - beyond)


def test_parts_add_up_to_the_whole_in_any_order_and_through_a_pickle(latencies):
    parts = [pickle.loads(pickle.dumps(tail_of(part))).close() for part in np.array_split(latencies, 7)]
    merged = LatencyTail()
    for part in reversed(parts):
        merged.merge(part)
    assert merged.summary() == tail_of(latencies).summary()
    assert len(pickle.dumps(parts[0])) < 250_000


@pytest.mark.parametrize(("count", "stated"), [(999, False), (1_000, True)])
def test_a_percentile_needs_requests_beyond_it(latencies, count, stated):
    """Ten of a thousand lie beyond p99."""
    summary = tail_of(latencies[:count]).summary()
    assert (summary["p99"]["us"] is not None) is stated
    assert summary["p99.9"] == {"us": None, "low": None, "high": None, "requests_beyond": round(count * 1e-3, 1)}
    assert summary["p99"]["requests_beyond"] == round(count * 1e-2, 1)
    assert LEAST_BEYOND == 10


def test_no_requests_have_no_percentiles():
    assert LatencyTail().summary()["p50"]["us"] is None


def test_the_shortest_and_the_longest_are_counted_too():
    tail = tail_of(np.array([0.0, 1e-9, 1e18] * 20))
    assert tail.requests == 60
    assert tail.percentile_us(0.5) < 0.01
