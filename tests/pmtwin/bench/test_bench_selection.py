"""`pmtwin bench selection`: both ways on the same data, and what halving loses."""

import json
from dataclasses import replace

import pytest

from pmtwin import cli
from pmtwin.bench import selection
from pmtwin.policies.training import TrainingPlan, halving


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Windows of twenty requests, the least data, a few configurations, and two rounds before the last."""
    scenario, plan = selection._scenario(), TrainingPlan.from_training
    small_scenario = type(scenario).of(requests_per_window=20)
    monkeypatch.setattr(selection, "_scenario", lambda: small_scenario)
    grid = {
        "degree": (1, 2),
        "alpha": (0.1, 0.01, 0.0001),
        "penalty": ("l2",),
        "loss": ("squared_error",),
        "learning_rate": ("invscaling",),
        "max_iter": (20,),
    }
    monkeypatch.setattr(TrainingPlan, "from_training", lambda *args: replace(plan(*args), grid=grid))
    monkeypatch.setattr(halving, "LEAST_ROWS", 30)


def test_both_ways_select_for_every_action_and_the_loss_is_their_difference(capsys):
    assert cli.main(["bench", "selection", "--campaign", "0.0005", "--jobs", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["samples"] == 4 * 2 * 200
    assert set(report["seconds"]) == {"halving", "eligible"}
    losses = [row["eligible"]["cv_r2"] - row["halving"]["cv_r2"] for row in report["actions"]]
    assert len(losses) == 9
    assert report["loss_cv_r2"] == {
        "mean": pytest.approx(sum(losses) / 9, abs=1e-6),
        "largest": pytest.approx(max(losses), abs=1e-6),
    }
    selection.show(report)
    assert "halving loses" in capsys.readouterr().out
