"""Plausible devices in the place of the profile: each episode, or each run of an evaluation, on one of them."""

import json
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios import ControlEnv
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.comparison.summary import summarise
from pmtwin.scenarios.nvm_middleware import NvmMiddleware, NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.twin import TwinSettings
from pmtwin.scenarios.recommendation.search import RecommendationPlan
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import over_devices

SHORT = {"requests_per_window": 100}


def env_of(**settings) -> ControlEnv:
    return NvmMiddlewareEnv(**SHORT | settings)


def test_an_episode_runs_on_the_device_that_its_seed_draws():
    env = env_of(device_samples=5)
    devices = [env.reset(seed=seed)[1]["device"] for seed in range(40)]
    assert set(devices) == {0, 1, 2, 3, 4}
    assert devices == [env.reset(seed=seed)[1]["device"] for seed in range(40)]
    assert env.carry_out(0)[4]["device"] == devices[-1]
    assert env.system.middleware.profile.parameters == sample_profiles(load_profile(), 5)[devices[-1]].parameters


def test_a_device_can_be_asked_for_and_differs_from_the_others():
    env = env_of(device_samples=3, device_spread=20.0, requests_per_window=1_000)
    result = [env.reset(seed=1, options={"device": k})[1]["p99_us"] for k in (0, 1, 2, 0)]
    assert len(set(result[:3])) == 3 and result[3] == result[0]


def test_a_phase_change_stays_on_the_device():
    env = env_of(device_samples=4)
    env.reset(seed=2, options={"device": 3})
    before = env.system.middleware.profile
    env.set_context(3)
    assert env.carry_out(0)[4]["device"] == 3
    assert env.system.middleware.profile is before


def test_without_samples_it_is_the_profile_itself():
    env = env_of()
    _, info = env.reset(seed=2)
    assert info["device"] == 0
    assert env.system.middleware.profile is env.scenario.options.twin.device


def test_without_spread_every_device_is_the_profile():
    """And drawing the device leaves the requests as they are, where it is asked for."""
    nominal = env_of().reset(seed=7)[1]
    assert env_of(device_samples=3, device_spread=0.0).reset(seed=7, options={"device": 2})[1] == nominal | {
        "device": 2
    }


def test_through_gymnasium():
    env = gymnasium.make("pmtwin/NvmMiddleware-v2", device_samples=2, **SHORT)
    assert env.reset(seed=0)[1]["device"] in (0, 1)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"device_samples": -1}, "device_samples"),
        ({"device_samples": 10**6}, "device_samples"),
        ({"device_samples": 2, "device_spread": -0.5}, "device_spread"),
        ({"device_samples": 2, "device_seed": -1}, "device_seed"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, field):
    with pytest.raises(InputError) as error:
        TwinSettings(**settings)
    assert error.value.field == field


@pytest.mark.parametrize("device", [-1, 2])
def test_a_device_that_is_not_there_is_refused(device):
    with pytest.raises(InputError, match=r"^device: "):
        env_of(device_samples=2).reset(options={"device": device})


def test_a_profile_that_does_not_know_its_uncertainty_is_refused(tmp_path):
    replace(load_profile(), uncertainty=None).save(tmp_path / "certain.json")
    with pytest.raises(InputError, match="--bootstrap"):
        TwinSettings(profile=str(tmp_path / "certain.json"), device_samples=2)


SMALL = RecommendationPlan(rounds=((1, 4),), final_seeds=1, final_windows=2, samples=2, sample_windows=2)
KNOWN = "the device is taken as known: profile certain states no uncertainty"


@pytest.mark.parametrize(
    ("command", "pages"),
    [
        ("evaluate nvm-middleware --policies random --steps 2 --phase-steps 1 --seeds 1", True),
        ("recommend", True),
        ("simulate nvm-middleware --windows 2", False),
    ],
)
def test_a_device_without_uncertainty_is_said_to_be_known(command, pages, tmp_path, capsys, monkeypatch):
    replace(load_profile(), name="certain", uncertainty=None).save(tmp_path / "certain.json")
    monkeypatch.setattr("pmtwin.scenarios.recommendation.search.RecommendationPlan", lambda: SMALL)
    words = [*command.split(), "--requests-per-window", "100"]
    page = ["--report", str(tmp_path / "page")] if pages else []
    assert cli.main([*words, "--profile", str(tmp_path / "certain.json"), *page]) in (0, 1)
    assert KNOWN in " ".join(capsys.readouterr().out.split())
    assert not pages or KNOWN in (tmp_path / "page" / "index.html").read_text()
    cli.main([*words, "--profile", str(tmp_path / "certain.json"), "--json"])
    assert json.loads(capsys.readouterr().out)["known_device"].startswith(KNOWN)
    cli.main([*words, "--json"])
    assert json.loads(capsys.readouterr().out)["known_device"] is None


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        ("--host-samples 2", "no --device-samples"),
        ("--host-samples 2 --device-samples 1", "--device-samples 1"),
        ("--device-samples 2 --device-spread 0", "--device-spread 0"),
        ("--host-samples 2 --device-samples 2", None),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "evaluate nvm-middleware --policies random --steps 2 --phase-steps 1 --seeds 2",
        "recommend",
        "simulate nvm-middleware --windows 2",
    ],
)
def test_samples_with_one_device_are_said_to_take_it_as_known(command, samples, reason, capsys, monkeypatch):
    monkeypatch.setattr("pmtwin.scenarios.recommendation.search.RecommendationPlan", lambda: SMALL)
    words = [*command.split(), *samples.split(), "--requests-per-window", "100", "--json"]
    assert cli.main(words) in (0, 1)
    said = json.loads(capsys.readouterr().out)["known_device"]
    assert said == (reason and f"the device is taken as known: {reason}")


# -- evaluation


def plan_of(**arguments) -> EvaluationPlan:
    settings = SHORT | {"device_samples": 2, "device_spread": 10.0} | arguments.pop("settings", {})
    scenario = NvmMiddleware.of(**settings)
    return EvaluationPlan(scenario, ("fixed:4,9", "random"), steps=4, context_steps=2, **arguments)


def test_runs_meet_the_devices_in_turn_and_policies_the_same_ones():
    plan = plan_of(seeds=5)
    assert [plan.device_of(run) for run in range(5)] == [0, 1, 0, 1, 0]
    assert EvaluationPlan(NvmMiddleware(), ("none",)).device_of(3) is None


def test_no_device_without_a_seed():
    with pytest.raises(InputError, match="at most one a seed"):
        plan_of(seeds=1)


def test_intervals_are_over_devices():
    """Two seeds of one device are no two devices: the sample is the mean of each device."""
    result = evaluate(plan_of(seeds=4))
    summary = summarise(result)
    runs = [run.reward.mean() for run in result.runs["fixed:4,9"]]
    devices = [np.mean(runs[0::2]), np.mean(runs[1::2])]
    reward = summary["policies"]["fixed:4,9"]["overall"]["reward"]
    assert reward["mean"] == pytest.approx(np.mean(devices))
    assert reward["low"] is None and reward["range"] == pytest.approx(sorted(devices))
    assert reward["devices"]["count"] == 2
    assert "over sampled devices" in summary["interval"]
    assert summary["comparisons"][0]["overall"]["devices"]["above_zero"] in (0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    ("samples", "sampled"),
    [
        ({"device_samples": 2}, "devices"),
        ({"host_samples": 2}, "hosts"),
        ({"host_samples": 2, "device_samples": 2}, "hosts and devices"),
    ],
)
def test_results_say_what_was_sampled(samples, sampled):
    plan = EvaluationPlan(NvmMiddleware.of(**SHORT, **samples), ("none",), steps=2, context_steps=1, seeds=2)
    assert f"over sampled {sampled}, " in summarise(evaluate(plan))["interval"]


def test_the_same_bits_on_any_number_of_workers():
    first, two = (summarise(evaluate(plan_of(seeds=2), jobs=jobs)) for jobs in (1, 2))
    assert first == two


def test_over_devices():
    result = over_devices([-1.0, 1.0, 2.0, 3.0])
    assert (result["count"], result["median"], result["above_zero"]) == (4, 1.5, 0.75)
    assert result["low"] < -0.5 < 2.5 < result["high"]
