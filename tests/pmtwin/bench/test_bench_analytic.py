"""`pmtwin bench analytic`: settings of a seed, errors by region beside the simulation, and the verdict on them."""

import json
import math

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.bench import analytic


@pytest.fixture
def small(monkeypatch):
    """Four settings, few windows and calls, and the shipped devices and hosts alone."""
    small = {"SETTINGS": 4, "WINDOWS_A_REPEAT": 4, "WARM_UP_WINDOWS": 1, "CALLS": 20, "SAMPLES": (1, 1)}
    for name, value in small.items():
        monkeypatch.setattr(analytic, name, value)


def test_the_report_has_the_errors_of_each_region(small, capsys):
    assert cli.main(["bench", "analytic", "--json", "--repeats", "2"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["settings"], report["windows"]) == (4, 8)
    regions = report["errors_percent"]
    assert regions["all"]["classes"] == 8
    for split in (("interactive", "batch"), ("own traces", "tied"), ("host assumed", "other hosts")):
        assert sum(regions[name]["classes"] for name in split) == 8
    for quantity in analytic.QUANTITIES:
        assert 0.0 <= regions["all"][quantity]["median"] <= regions["all"][quantity]["p90"]
        assert regions["all"][quantity]["simulation_p90"] > 0.0
    wanted = report["wanted_percent"]
    assert report["reached"] == all(regions["all"][q][key] <= wanted[q][key] for q in wanted for key in wanted[q])


def test_the_report_as_text_names_regions_quantities_and_the_verdict(small, capsys):
    assert cli.main(["bench", "analytic", "--repeats", "1"]) == 0
    printed = capsys.readouterr().out
    assert "4 windows a setting" in printed
    assert "standard error of the simulation" in printed
    assert "wanted of all, median / 90th percentile: throughput " in printed and "reached" in printed
    for quantity in analytic.QUANTITIES:
        assert quantity in printed


def test_settings_are_the_same_each_time_and_within_their_ranges():
    settings = list(analytic._settings(6, 8))
    assert settings == list(analytic._settings(6, 8))
    assert len(settings) == analytic.SETTINGS
    low, high = analytic.LOADS
    assert all(low <= load <= high for setting in settings for load in setting.loads)
    assert all(1 <= pool <= 32 for setting in settings for pool in setting.pools)
    assert {setting.tied for setting in settings} == {False, True}


def test_standard_errors_are_those_of_batch_means():
    generator = np.random.default_rng(0)
    latencies = [generator.exponential(1.0, 1_000) for _ in range(50)]
    values, errors = analytic._with_errors(np.ones(50), latencies)
    assert values[:2] == pytest.approx([1_000.0, 1.0], rel=0.02)
    assert errors[0] == 0.0
    assert errors[1] == pytest.approx(1.0 / math.sqrt(50_000), rel=0.6)


def test_a_formula_that_is_wrong_is_noticed(small, monkeypatch, capsys):
    right = analytic.predict

    def wrong(model, pools):
        prediction = right(model, pools)
        return prediction._replace(mean_us=1.5 * prediction.mean_us)

    monkeypatch.setattr(analytic, "predict", wrong)
    assert cli.main(["bench", "analytic", "--json", "--repeats", "1"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["reached"] is False
    assert report["errors_percent"]["all"]["mean"]["bias"] > 30.0
