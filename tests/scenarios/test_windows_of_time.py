"""Windows of time: some have no request, and then cells of the observation and measures are missing."""

import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies import PolicyContext
from pmtwin.scenarios import load_scenario, make_environment, make_vector_environment
from pmtwin.sim.control import Column, Goal, Measure
from pmtwin.sim.errors import InputError

CHANGES = {
    'RATES = {"calm": 250.0, "busy": 420.0}': 'RATES = {"calm": 20.0, "busy": 420.0}',
    "self._run.run_window(self._options.jobs_per_window)": "self._run.run_for(0.05e9)",
    'Column("waiting", 0, MOST_PLACES, "jobs", LOG),': 'Column("response_ms", 0.01, 1000, "ms", LOG, optional=True),',
    "min(waiting, MOST_PLACES), rejected /": "self.measures()[RESPONSE.name], rejected /",
    "return np.array([self._places, 0.0, 0.0])": 'return np.array([self._places, float("nan"), 0.0])',
    "rejected / (rejected + len(self._window.classes))": "rejected / max(rejected + len(self._window.classes), 1.0)",
    "float(window.latency_ns.mean()) * 1e-6": "window.latency_ns.mean() * 1e-6 if len(window.classes) else np.nan",
    "late = measures[RESPONSE.name] /": "late = np.nan_to_num(measures[RESPONSE.name]) /",
    "        waiting = self._per_second(self._window.waited_ns": "        _ = self._per_second(self._window.waited_ns",
}
"""Windows of 50 ms: in a calm hour a window has one job on average, and one in three has none."""


@pytest.fixture
def spec(changed_admission):
    """M/M/k with admission control in windows of time."""
    return changed_admission(CHANGES)


def test_an_agent_sees_the_lower_bound_and_that_the_value_is_missing(spec):
    env = make_environment(spec, load="calm", episode_steps=None, jumps=False, measures=True)
    observation, info = env.reset(seed=1)
    names = [column.name for column in env.scenario.observed]
    assert names == ["waiting_places", "response_ms", "rejected_share", "response_ms_present"]
    present = 0
    for _ in range(60):
        assert env.observation_space.contains(observation)
        cell, there, measure = observation[1], observation[3], observation[4]
        assert (cell, measure) == ((info["response_ms"],) * 2 if there else (0.01, 0.0))
        assert np.isnan(info["response_ms"]) == (not there) and info["met_response"] >= (not there)
        present += there
        observation, _, _, _, info = env.step(0)
    assert 20 < present < 55


def test_environments_together_and_one_engine_or_the_other_show_the_same(spec):
    envs = make_vector_environment(spec, 2, load="calm", jumps=False)
    together, _ = envs.reset(seed=[1, 2])
    alone = [make_environment(spec, load="calm", jumps=False, engine=engine) for engine in ("compiled", "simpy")]
    first = [env.reset(seed=1)[0] for env in alone]
    for _ in range(10):
        np.testing.assert_array_equal(together[0], first[0])
        np.testing.assert_array_equal(first[0], first[1])
        together, *_ = envs.step([0, 0])
        first = [env.step(0)[0] for env in alone]


def test_a_policy_is_told_all_columns_that_it_sees(spec):
    context = PolicyContext.of(load_scenario(spec).of())
    assert context.observation_size == 4 and context.columns[-1] == Column("response_ms_present", 0, 1)


def test_results_leave_windows_without_a_value_out(spec, capsys):
    words = ["evaluate", spec, "--policies", "fixed:2", "fixed:20", "--loads", "calm", "--steps", "40", "--seeds", "3"]
    assert main([*words, "--jobs", "1", "--json", "--series", "series.npz", "--report", "page"]) == 0
    result = json.loads(capsys.readouterr().out)
    values = np.load("series.npz")["response_ms"][0]
    assert 0 < np.isnan(values).sum() < values.size
    mean = result["policies"]["fixed:2"]["overall"]["response_ms"]["mean"]
    assert mean == pytest.approx(np.mean([np.nanmean(run) for run in values]))
    assert main(["simulate", spec, "--windows", "40", "--json"]) == 0
    assert 5.0 < json.loads(capsys.readouterr().out)["response_ms"]["median"] < 40.0


@pytest.mark.parametrize("command", ["recommend SPEC", "evaluate SPEC --policies best-constant best-fixed --steps 4"])
def test_searches_rank_settings_whose_windows_lack_values(spec, command, capsys):
    assert main([*command.replace("SPEC", spec).split(), "--json"]) in (0, 1)  # 1: no window keeps all goals
    assert "NaN" not in (text := capsys.readouterr().out) and "nan" not in text


def test_a_measure_that_no_window_shows_has_no_mean(spec, capsys):
    text = Path("mine.py").read_text(encoding="utf-8")
    Path("silent.py").write_text(text.replace("if len(window.classes) else", "if False else"), encoding="utf-8")
    assert main(["evaluate", "silent.py:admission", "--policies", "fixed:2", "--steps", "4", "--details"]) == 0
    assert "nan" not in capsys.readouterr().out


def test_a_number_that_is_missing_undeclared_is_refused_by_name(spec):
    text = Path("mine.py").read_text(encoding="utf-8").replace(', "ms", LOG, optional=True)', ', "ms", LOG)')
    Path("undeclared.py").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"observation\(\): 'nan in column response_ms' .*optional=True"):
        make_environment("undeclared.py:admission", warmup_windows=0).reset(seed=0)


def test_a_window_without_a_value_breaks_no_goal():
    late = Goal("late", Measure("response_ms", "ms", "response", "lower"), 5.0)
    assert late.met(float("nan")) is True and late.met(6.0) is False
    assert late.met(np.array([1.0, np.nan, 9.0])).tolist() == [True, True, False]


def test_the_list_says_which_column_a_window_may_lack(spec, capsys):
    assert main(["list", "scenarios", spec]) == 0
    lines = capsys.readouterr().out.splitlines()
    head, row = (next(line for line in lines if line.startswith(name)) for name in ("column ", "response_ms "))
    assert head.split()[-1] == "optional" and row.split()[-1] == "yes"
