"""Percentiles of several runs: pooled over their requests, their intervals as wide as the runs lie apart."""

import numpy as np
import pytest

from pmtwin.scenarios.comparison.tail_over_runs import tail_over_runs
from pmtwin.sim.numerics.latency_tail import LatencyTail
from pmtwin.sim.numerics.statistics import jackknife_half, mean_interval


def runs_at(levels, rng, requests=5_000) -> list[LatencyTail]:
    tails = [LatencyTail() for _ in levels]
    for tail, level in zip(tails, levels, strict=True):
        tail.add(level * rng.lognormal(0.0, 0.5, requests))
    return tails


def test_the_jackknife_of_a_mean_is_its_t_interval():
    values = np.array([1.0, 2.0, 4.0, 9.0])
    left_out = [np.delete(values, k).mean() for k in range(4)]
    assert jackknife_half(left_out) == pytest.approx(mean_interval(values)["high"] - values.mean())
    assert jackknife_half(left_out[:1]) is None


def test_runs_apart_make_the_interval_wide_and_leave_the_percentile():
    runs = runs_at((600.0, 750.0, 1300.0), np.random.default_rng(1))
    whole = LatencyTail()
    for run in runs:
        whole.merge(run)
    result, alone = tail_over_runs(runs), whole.summary()
    assert {name: result[name]["us"] for name in ("p50", "p99", "p99.99")} == {
        name: alone[name]["us"] for name in ("p50", "p99", "p99.99")
    }
    assert result["p50"]["low"] < 600.0 and result["p50"]["high"] > 1300.0
    assert result["p99.999"]["low"] is None


def test_two_runs_have_a_range_in_place_of_an_interval():
    runs = runs_at((600.0, 1300.0), np.random.default_rng(1))
    p50 = tail_over_runs(runs)["p50"]
    assert p50["low"] is None and p50["high"] is None
    assert p50["range"] == [run.percentile_us(0.5) for run in runs]


def test_one_run_has_no_interval_and_runs_without_requests_do_not_count():
    run = runs_at((600.0,), np.random.default_rng(1))[0]
    result = tail_over_runs([run, LatencyTail()])
    assert result["p50"]["us"] == run.summary()["p50"]["us"]
    assert result["p50"]["low"] is None and result["p50"]["high"] is None
    assert tail_over_runs([LatencyTail()])["p50"]["us"] is None


def test_the_interval_covers_the_median_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    result = [tail_over_runs(runs_at(np.exp(rng.normal(0.0, 0.3, 6)), rng, 400))["p50"] for _ in range(200)]
    assert np.mean([each["low"] <= 1.0 <= each["high"] for each in result]) > 0.85
