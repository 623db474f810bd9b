"""Gains over a baseline: over runs or, of too few, over their windows; and their share of the best settings' gain."""

import json

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.scenarios.comparison.gains import RUNS, WINDOWS, gain_over, share_of_gain
from pmtwin.sim.numerics.statistics import ratio_interval


def rewards(level, runs, windows=400, seed=0):
    random = np.random.default_rng(seed)
    return [level + np.repeat(random.normal(size=windows // 4), 4) for _ in range(runs)]


def test_a_gain_over_runs_is_the_ratio_of_their_means():
    ours, theirs = rewards(12.0, 4), rewards(8.0, 4, seed=1)
    gain = gain_over(ours, theirs)
    expected = ratio_interval(*([run.mean() for run in runs] for runs in (ours, theirs)))
    assert gain["over"] == RUNS
    assert [gain[name] + 1.0 for name in ("mean", "low", "high")] == pytest.approx(list(expected.values()))


def test_a_gain_of_one_run_has_an_interval_from_merged_windows():
    gain = gain_over(rewards(12.0, 1), rewards(8.0, 1, seed=1))
    assert gain["over"] == WINDOWS and gain["merged"] >= 4 and gain["samples"] <= 100
    assert gain["low"] < 0.5 < gain["high"] and gain["high"] - gain["low"] < 0.2


def test_there_is_no_gain_over_a_baseline_that_earns_nothing():
    assert gain_over(rewards(1.0, 3), [-run for run in rewards(1.0, 3)]) is None


def test_the_share_of_the_best_settings_gain_has_the_least_share_of_a_run():
    share = share_of_gain([14.0, 13.0, 12.0], [10.0, 10.0, 10.0], [15.0, 15.0, 14.0])
    assert share["mean"] == pytest.approx(9 / 14) and share["range"] == pytest.approx([0.5, 0.8])
    assert share_of_gain([14.0, 13.0], [10.0, 10.0], [15.0, 9.0]) is None, "the best settings lose in a run"


@pytest.mark.parametrize(("seeds", "over"), [("1", WINDOWS), ("3", RUNS)])
def test_evaluate_states_gains_over_the_first_baseline(capsys, seeds, over):
    words = ("--workloads", "random-1-9", "--policies", "fixed:64,0", "fixed:8,0", "--steps", "30", "--seeds", seeds)
    small = ("--data-gb", "1", "--fill-s", "1", "--dirty-mb", "1", "--window-s", "0.2", "--jobs", "1")
    assert main(["evaluate", "lustre-tuning", *words, *small, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    gain = result["gains"]["policies"]["fixed:64,0"]["overall"]["gain"]
    means = [result["policies"][spec]["overall"]["reward"]["mean"] for spec in ("fixed:64,0", "fixed:8,0")]
    assert result["gains"]["over"] == "fixed:8,0" and gain["over"] == over
    assert gain["mean"] == pytest.approx(means[0] / means[1] - 1.0)
    assert main(["evaluate", "lustre-tuning", *words, *small, "--details"]) == 0
    assert "gain over fixed:8,0" in capsys.readouterr().out
