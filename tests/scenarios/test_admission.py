"""The seam's proof: a whole scenario in one file, on which everything works with no line changed elsewhere."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pmtwin import cli
from pmtwin.scenarios import load_scenario, make_environment

FILE = Path(__file__).parent / "admission.py"
RENAMED = {"response_ms": "sojourn_ms", "served_per_s": "goodput_per_s"}


@pytest.fixture(params=["as it is", "measures renamed"])
def spec(request, tmp_path):
    """The scenario as a user names it; a copy outside the checkout has other names for its measures."""
    if request.param == "as it is":
        return f"{FILE}:admission"
    text = FILE.read_text(encoding="utf-8")
    for old, new in RENAMED.items():
        text = re.sub(rf"\b{old}\b", new, text)
    copy = tmp_path / "mine.py"
    copy.write_text(text, encoding="utf-8")
    return f"{copy}:admission"


def measures_of(spec: str) -> list[str]:
    return [measure.name for measure in load_scenario(spec).measures]


@pytest.mark.parametrize("load", ["calm", "busy"])
@pytest.mark.parametrize("places", [0, 3, 20])
def test_the_simulation_agrees_with_the_closed_formula(load, places):
    """Means over 40 windows of 5,000 jobs: within 3 % of M/M/k/(k + places) in equilibrium."""
    spec = f"{FILE}:admission"
    env = make_environment(spec, load=load, initial_limit=(places,), jobs_per_window=5_000, episode_steps=None)
    env.reset(seed=7)
    windows = [env.step((places,))[4] for _ in range(40)]
    env.close()
    module = __import__(type(env.scenario).__module__)
    expected = module.expected(env.scenario.options, module.RATES[load], places)
    for name, value in expected.items():
        assert np.mean([window[name] for window in windows]) == pytest.approx(value, rel=0.03)


def test_both_engines_give_the_same_bits():
    def episode(engine: str) -> list:
        env = make_environment(f"{FILE}:admission", engine=engine, jobs_per_window=200, episode_steps=None)
        env.reset(seed=3)
        steps = []
        for number, action in enumerate([0, 0, 1, (0,), 1, 1, (30,), 0]):
            if number == 4:
                env.set_context("busy")
            observation, reward, *_, info = env.carry_out(action)
            steps.append((observation.tolist(), reward, info, env.system.requests()[1].tolist()))
        env.close()
        return steps

    assert episode("compiled") == episode("simpy")


def test_gymnasium_accepts_it(spec):
    check_env(make_environment(spec, load="busy", jobs_per_window=50), skip_render_check=True)


def test_a_context_may_be_drawn_from_a_range(spec):
    env = make_environment(spec, load="drawn", jobs_per_window=50)
    drawn = set()
    for seed in range(5):
        _, info = env.reset(seed=seed)
        assert env.context == "drawn" and "load" not in info
        drawn.add(env.conditions)
    assert len(drawn) == 5 and all(200.0 <= rate <= 450.0 for rate in drawn)


def run(capsys, *words: str) -> dict | list:
    assert cli.main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_list_shows_what_it_declares(spec, capsys):
    assert cli.main(["list", "scenarios", spec]) == 0
    shown = capsys.readouterr().out
    for word in (*measures_of(spec), "waiting_places", "busy", "--response-goal-ms"):
        assert word in shown


def test_simulate_and_evaluate_speak_its_words(spec, capsys):
    result = run(capsys, "simulate", spec, "--load", "busy", "--limit", "3", "--windows", "4")
    assert all(result[name]["median"] > 0.0 for name in measures_of(spec))
    policies = ["fixed:2", "fixed:20", "random", "best-fixed", "best-constant", "clairvoyant"]
    short = ["--steps", "12", "--load-steps", "3", "--seeds", "2", "--jobs-per-window", "60"]
    result = run(capsys, "evaluate", spec, "--policies", *policies, *short, "--jobs", "2")
    overall = result["policies"]["fixed:2"]["overall"]
    assert all(overall[name]["range"][0] <= overall[name]["mean"] for name in measures_of(spec))
    assert set(result["policies"]["fixed:2"]["loads"]) == {"busy", "calm"}
    assert result["best_fixed"]["busy"]["limit"] != [40]
    assert {row["policy"] for row in result["leaderboard"]} == set(policies)
    assert result["yardsticks"]["reference"] == "clairvoyant"


def test_q_learning_trains_on_it_and_is_evaluated(spec, tmp_path, capsys):
    policy = str(tmp_path / "policy.npz")
    short = ["--episodes", "3", "--dataset-episodes", "3", "--campaign", "0.01", "--jobs-per-window", "40"]
    trained = run(capsys, "train", spec, *short, "--jobs", "1", "-o", policy)
    assert set(trained["learned_limit"]) == {"calm", "busy"}
    short = ["--steps", "6", "--load-steps", "3", "--seeds", "1", "--jobs-per-window", "40", "--jobs", "1"]
    result = run(capsys, "evaluate", spec, "--policies", f"q-learning:{policy}", *short)
    assert result["policies"][f"q-learning:{policy}"]["overall"]["steps"] == 6


def test_figures_draw_its_baselines(spec, tmp_path, capsys):
    made = run(capsys, "figures", spec, "-o", str(tmp_path), "--jobs", "1")
    assert [figure["name"] for figure in made["figures"]] == ["baselines"]
    header = (tmp_path / "figures" / "baselines.csv").read_text(encoding="utf-8").splitlines()[0]
    assert all(name in header for name in measures_of(spec))


@pytest.mark.parametrize("words", [["--seeds", "1"], ["--dry-run"]])
@pytest.mark.parametrize("policy", ["none", "predictive", "fixed:1,2"])
def test_a_policy_that_cannot_serve_it_says_so_before_any_work(policy, words, capsys):
    assert cli.main(["evaluate", f"{FILE}:admission", "--policies", "random", policy, *words]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
