"""Numbers for readers have one form in every table and page."""

import re
from pathlib import Path

import pytest

import pmtwin
from pmtwin.evaluation.leaderboard import leaderboard_notes
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.sim.common.number_forms import percent, percentage, rounded


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.944, "94.4 %"), (1.0, "100 %"), (0.99999, "> 99.9 %"), (0.0, "0 %"), (-1e-9, "0 %"), (0.5, "50 %")],
)
def test_a_share_is_written_in_one_form(share, shown):
    assert percent(share) == shown


def test_a_difference_has_its_sign():
    assert [percent(share, signed=True) for share in (0.0123, -0.5, 0.99999)] == ["+1.2 %", "-50 %", "+100 %"]


def test_large_numbers_have_no_powers_of_ten_and_no_digits_that_mean_nothing():
    assert rounded(258_123.4) == "258,123" and rounded(1.23456) == "1.235"
    assert [percentage(value) for value in (1960.23, 66.293, 0.004, -0.004)] == ["1,960", "66.3", "0.00", "0.00"]


def test_no_source_writes_a_share_in_another_form():
    other = re.compile(r":[+]?\.\d%}")
    root = Path(pmtwin.__file__).parent
    assert not [path for path in root.rglob("*.py") if other.search(path.read_text())]


@pytest.mark.parametrize(("share", "said"), [(0.0, False), (0.25, True)])
def test_windows_that_offer_too_little_are_told_where_there_are_any(share, said):
    scenario = NvmMiddleware()
    measures = {measure.name: {"low": 1.0, "high": 2.0} for measure in scenario.compared}
    overall = measures | {"runs": 3, "attainment": {"low": 0.4, "high": 0.6}}
    plan = {"policies": ["none"], "phases": [1], "steps": 4, "warmup_windows": 0, "phase_steps": 2, "seeds": 3}
    result = {
        "configuration": plan,
        "yardsticks": {"reference": "clairvoyant", "short_share": share},
        "policies": {"none": {"alike": False, "overall": overall}},
    }
    notes = "\n".join(leaderboard_notes(result, scenario))
    told = "In 25 % of the windows clients offer less than a goal asks for: the rate in a window may be far below"
    assert (told in notes) is said and "at their mean rates" not in notes
    assert ("of the windows clients" in notes) is said
