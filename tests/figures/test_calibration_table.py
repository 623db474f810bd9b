"""The table of the device model's errors, with a re-fit and without one."""

from dataclasses import replace

from pmtwin.figures.experiments import calibration
from pmtwin.figures.plots.calibration import render
from pmtwin.pipeline.step import Setting
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.report.configuration import left_out_html

PROFILE = "optane-dcpmm-100"


def test_without_data_the_shipped_profile_is_told_as_it_is():
    data = calibration.run(PROFILE, None, bootstrap=0, seed=0)
    assert data["refit"] is None
    rendered = render({"calibration": data})
    assert {row[0] for row in rendered.tables[0].rows} >= {"load", "ntstore", "store_clwb"}
    assert [row[-1] for row in rendered.tables[0].rows if row[-1] is not None] == []
    assert "shipped profile" not in {statement.source for statement in rendered.statements}
    html = left_out_html(Setting(NvmMiddleware(), QUICK, 0, 1, None), {"calibration": data})
    assert "without a re-fit" in html and "reduced" in html


def test_errors_above_the_target_are_told():
    data = calibration.run(PROFILE, None, bootstrap=0, seed=0)
    data["shipped"]["errors_percent"]["load"]["unseen_configurations"]["predict"] = [3.1, 3.9, 7.9]
    verdicts = {each.published.split(":")[0]: each.holds for each in render({"calibration": data}).statements}
    assert verdicts["load"] is False and verdicts["ntstore"] is True
    again = calibration.run(PROFILE, None, bootstrap=0, seed=0)
    assert again["shipped"] != data["shipped"], "what a caller changes must not change the profile of others"


def test_a_refit_from_the_measurements_gives_the_shipped_law_again(shared_data):
    data = calibration.run(PROFILE, shared_data / "optane", bootstrap=0, seed=0)
    assert data["refit"]["same_data"] and data["refit"]["bootstrap"] == 0
    (statement,) = (each for each in render({"calibration": data}).statements if each.source == "shipped profile")
    assert statement.holds
    worse = {**data["refit"], "differences": {"load": {"median_percent": 1.0, "max_percent": 2.5}}}
    (statement,) = (
        each
        for each in render({"calibration": {**data, "refit": worse}}).statements
        if each.source == "shipped profile"
    )
    assert statement.holds is False and "2.5 % (load)" in statement.computed


def test_a_short_refit_is_told_as_one():
    data = {"refit": {"bootstrap": 0}}
    assert "the law alone" in left_out_html(
        Setting(NvmMiddleware(), replace(QUICK, name="x"), 0, 1, None), {"calibration": data}
    )
