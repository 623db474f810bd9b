"""The histogram of the operations' times."""

import math

import numpy as np
import pytest

from pmtwin.sim.numa.latencies import BINS, bin_edges, bin_of, quantile_ns


def test_each_time_lies_between_the_ends_of_its_bin():
    edges = bin_edges()
    for time_ns in np.geomspace(1.0, 1e13, 500):
        number = bin_of(time_ns)
        assert edges[number] <= time_ns < edges[number + 1]


def test_bins_are_finer_than_two_percent():
    edges = bin_edges()
    assert np.all(np.diff(edges) <= edges[:-1] / 64)


def test_quantiles():
    times = np.random.default_rng(0).lognormal(12.0, 0.5, 20_000)
    latency = np.bincount([bin_of(time_ns) for time_ns in times], minlength=BINS)
    for share in (0.5, 0.99):
        assert quantile_ns(latency, share) == pytest.approx(np.quantile(times, share), rel=0.02)
    assert math.isnan(quantile_ns(np.zeros(BINS, int), 0.99))
