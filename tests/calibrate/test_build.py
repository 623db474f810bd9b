"""A calibration from beginning to end on a device that we know, and its report."""

import dataclasses
import importlib.metadata
from types import SimpleNamespace

import numpy as np
import pytest

import pmtwin
from pmtwin.calibrate.build import calibrate, plan, versions
from pmtwin.calibrate.effects import Evidence
from pmtwin.calibrate.effects.mix_rows import LoadRow, MixRow
from pmtwin.calibrate.effects.tail import TailRow
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.report.page import write_report
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.errors import InputError


@pytest.fixture(scope="module")
def calibration(make_sweep):
    return calibrate(make_sweep(operation="load", noise=0.01), "known", "a device that we know", bootstrap=2, jobs=1)


def test_the_same_seed_gives_the_same_profile_on_any_number_of_processes(calibration, make_sweep):
    again = calibrate(make_sweep(operation="load", noise=0.01), "known", "a device that we know", bootstrap=2, jobs=2)
    assert again.profile.to_json() == calibration.profile.to_json()


def test_the_errors_are_those_of_the_noise(calibration):
    errors = calibration.profile.record["errors_percent"]["load"]
    assert errors["unseen_configurations"]["predict"][0] < 1.5
    assert 0.8 <= errors["coverage_90"]["configurations"] <= 0.98
    assert sum(region["configurations"] for region in errors["by_region"]) == len(calibration.configurations)


def test_the_profile_holds_only_what_was_measured(calibration, tmp_path):
    profile = load_profile(calibration.profile.save(tmp_path / "p.json"))
    assert list(profile.parameters) == ["load"]
    with pytest.raises(InputError, match="ntstore"):
        bandwidth_mib_s(profile, "ntstore", "random", 64, 1)
    exponent = profile.record["parameters"]["load"]["low_power_exponent"]
    assert exponent["status"] == "not identified"  # one power budget only


def test_too_few_configurations_are_left_out_or_refused(make_sweep):
    loads, _ = group(make_sweep())
    with pytest.raises(InputError, match="usable configurations: '7 of load' are too few"):
        plan(loads.take(np.arange(7)))
    stores = dataclasses.replace(loads.take(np.arange(7)), operation=np.full(7, "store"))
    both = dataclasses.replace(
        loads,
        **{name: np.concatenate([getattr(loads, name), getattr(stores, name)]) for name in vars(loads)},
    )
    assert plan(both) == (["load"], {"store": 7})


def test_without_bootstrap_only_the_mechanism_is_fitted(make_sweep):
    profile = calibrate(make_sweep(), "fast", "x", bootstrap=0).profile
    assert profile.residual is None and profile.intervals is None


def test_the_report_names_errors_parameters_and_misses(calibration, tmp_path):
    page = write_report(calibration, tmp_path / "report")
    text = page.read_text()
    names = ("trust", "predicted", "by-size", "by-threads", "noise", "coverage")
    for name in names:
        assert f'id="{name}-figure_1"' in text
    assert [path.name for path in page.parent.iterdir()] == [page.name]
    assert (
        "Largest misses" in text
        and "media_mib_s" in text
        and "Where not to trust it" in text
        and "operation ntstore" in text
    )


def test_the_report_draws_mixes_load_and_tail_over_what_was_measured(calibration, tmp_path):
    mixes = [
        MixRow("local", "ntstore", 64.0, 16.0, share, np.nan, np.nan, total, 10_000.0, 4000.0)
        for share, total in ((0.25, 8000.0), (0.75, 5000.0))
    ]
    evidence = Evidence(mixes, [LoadRow(170.0, 500.0), LoadRow(260.0, 11_000.0)], [TailRow(256.0, {0.9999: 320.0})])
    shipped = dataclasses.replace(calibration, profile=load_profile(), evidence=evidence)
    page = write_report(shipped, tmp_path / "report")
    text = page.read_text()
    for name in ("mixes", "load", "tail"):
        assert f'id="{name}-figure_1"' in text
    assert "latency of a read beside a growing load of writes" in text and "p99.999% of single writes" in text
    assert (
        "mixes-figure" not in write_report(calibration, tmp_path / "other").read_text()
    )  # nothing was measured of them


def test_a_report_that_cannot_be_written_is_refused(calibration, tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="--report"):
        write_report(calibration, tmp_path / "taken")


def test_a_profile_names_the_version_that_runs_and_not_one_that_was_installed_before(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: SimpleNamespace(version="0.0.1"))
    assert versions()["pmtwin"] == pmtwin.__version__ and versions()["numpy"] == "0.0.1"


def test_a_single_dropped_row_is_told_as_one(make_sweep):
    configurations, _ = group(make_sweep().take(np.arange(2)))
    with pytest.raises(InputError, match="; 1 row dropped: odd; 1,200 rows dropped: slow"):
        plan(configurations, {"odd": 1, "slow": 1200})
