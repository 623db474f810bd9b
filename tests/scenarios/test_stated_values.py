"""A scenario whose numbers have stated values, through environments, searches, oracles and training."""

import json

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies.predictive import compared_settings
from pmtwin.scenarios import load_scenario, make_environment
from pmtwin.scenarios.comparison.best_fixed import SearchPlan, search_best_fixed
from pmtwin.scenarios.comparison.survey import SurveyPlan, survey
from pmtwin.scenarios.recommendation.screening import coarse_grid
from pmtwin.sim.control import Settings, logarithmic
from pmtwin.sim.errors import InputError
from pmtwin.validation.search import _neighbours

VALUES = logarithmic(1, 40, 7)
STATED = 'Settings.of("limit", {"waiting_places": logarithmic(1, MOST_PLACES, 7)}, "places", ((-1,), (0,), (1,)))'
CHANGES = {
    'Settings("limit", ("waiting_places",), (0,), (MOST_PLACES,), "places", moves=((-1,), (1,)))': STATED,
    "Measure, Settings\n": "Measure, Settings, logarithmic\n",
    "initial_setting = (20,)": "initial_setting = (22,)",
}


@pytest.fixture
def spec(changed_admission):
    """M/M/k with admission control whose limit is one of seven numbers in equal ratios."""
    return changed_admission(CHANGES)


def test_an_environment_counts_the_values_and_shows_their_numbers(spec):
    env = make_environment(spec, jobs_per_window=20, initial_limit="random", jumps=True)
    _, info = env.reset(seed=1)
    assert info["limit"][0] in VALUES and env.action_space.nvec.tolist() == [7]
    for place, value in enumerate(VALUES):
        assert env.step([place])[4]["limit"] == (value,)
    assert env.carry_out((22,))[4]["limit"] == (22,) and env.carry_out(0)[4]["limit"] == (12,)
    with pytest.raises(InputError, match="one of 1 2 3 6 12 22 40"):
        env.carry_out((7,))


def test_every_search_and_oracle_stays_on_the_values(spec, capsys):
    specs = ("fixed:6", "random", "best-fixed", "best-constant", "clairvoyant:steps=true")
    words = ["evaluate", spec, "--policies", *specs, "--steps", "6", "--load-steps", "3", "--seeds", "2", "--json"]
    assert main([*words, "--jobs", "1", "--set", "jobs_per_window=20", "--series", "series.npz"]) == 0
    result = json.loads(capsys.readouterr().out)
    chosen = [result["best_constant"]["limit"], *(best["limit"] for best in result["best_fixed"].values())]
    assert all(value in VALUES for (value,) in chosen)
    assert main(["recommend", spec, "--set", "jobs_per_window=20", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    settings = [result["setting"], *result["ties"], *(other["setting"] for other in result["alternatives"])]
    assert all(value in VALUES for (value,) in settings)


def test_an_afterstate_is_trained_on_the_values(spec, capsys):
    sizes = ["--rounds", "2", "--round-episodes", "2", "--episode-windows", "8", "--jobs", "1"]
    words = ["train", spec, "--policy", "afterstate", "-o", "mine.npz", *sizes, "--set", "jobs_per_window=20"]
    assert main(words) == 0
    words = ["evaluate", spec, "--policies", "afterstate:mine.npz", "--steps", "4", "--load-steps", "2", "--seeds", "1"]
    assert main([*words, "--jobs", "1", "--set", "jobs_per_window=20"]) == 0
    assert "afterstate" in capsys.readouterr().out


def test_candidates_of_searches_are_values():
    stated = Settings.of("limit", {"places": VALUES, "step": range(0, 101, 10)})
    assert {tuple(setting) for setting in compared_settings(stated).tolist()} <= set(stated.all())
    assert _neighbours(stated, (1, 50), 2) == [(1, 30), (1, 70), (3, 30), (3, 50), (3, 70)]


def test_a_coarse_grid_has_both_ends_and_values_between(spec):
    grid = [places for (places,) in coarse_grid(load_scenario(spec).of())]
    assert grid[0] == 1 and grid[-1] == 40 and set(grid) <= set(VALUES)


def test_a_search_warms_up_as_long_as_the_scenario_asks(spec, monkeypatch):
    """Of seven settings; a survey runs one window at each that does not count in any case, as does a search."""
    scenario = load_scenario(spec)
    system, windows = scenario.system.__globals__["AdmissionSystem"], []
    run = system.run_window
    monkeypatch.setattr(system, "run_window", lambda self: (windows.append(1), run(self)))
    made, seed, counts = scenario.of(jobs_per_window=10), np.random.SeedSequence(0), []
    for warmup in (0, 7):
        monkeypatch.setattr(scenario, "search_warmup_windows", warmup)
        search_best_fixed(made, "calm", seed, SearchPlan(rounds=(), final_windows=2, final_seeds=2), [(6,)])
        counts.append(len(windows))
        survey(made, [(0, "calm")], seed, SurveyPlan(rounds=(), redraws=1, windows=2))
        counts.append(len(windows) - counts[-1])
        windows.clear()
    assert counts == [2 * (1 + 2), 7 * (1 + 2), 2 * (7 + 2), 7 * (7 + 2)]
