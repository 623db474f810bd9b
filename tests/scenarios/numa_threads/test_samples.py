"""Plausible systems in the place of the profile and the store's law, and what results say of extrapolation."""

import json

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.comparison.summary import summarise
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.numa_threads.formulas import best_ops_per_s
from pmtwin.scenarios.numa_threads.model import costs_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.plausible import plausible_systems
from pmtwin.scenarios.numa_threads.workloads import Workload, workload_of
from pmtwin.sim.device.effects.directory import STREAMED
from pmtwin.sim.host.samples import SystemSamples

FEW = {"device_samples": 3, "host_samples": 2, "engine": "analytic"}


def near_puts_ns(options, sample=0, value_bytes=400_000.0):
    """ns of a put beside 35 others near the data."""
    counts = np.zeros((1, 2, 2, 2))
    counts[0, 0, 0, 1] = 36.0
    costs = costs_of(options, Workload(0.0, value_bytes=value_bytes), sample)
    return float(sum(costs.times(counts))[0, 0, 0, 1])


def test_without_samples_it_is_the_profile_and_the_representative_host():
    (system,) = plausible_systems("optane-dcpmm-100", SystemSamples())
    assert (system.profile.name, system.beside, system.memory) == ("optane-dcpmm-100", (None, None, None), None)


def test_device_directory_and_host_differ_between_samples_and_are_taken_in_turn():
    systems = plausible_systems("optane-dcpmm-100", SystemSamples(device_samples=6, host_samples=4))
    entries = [each.profile.effects["directory"]["load"]["parameters"][STREAMED] for each in systems]
    assert len(set(entries)) == 6 and min(entries) >= 1.0 and max(entries) <= 4.0
    laws = [each.beside.law for each in systems]
    assert len(set(laws)) == 4 and laws[4:] == laws[:2]
    assert {each.profile.name for each in systems} == {"optane-dcpmm-100"}  # whose store's law it is
    fewer = plausible_systems("optane-dcpmm-100", SystemSamples(device_samples=3, host_samples=4))
    assert [each.profile for each in systems[:3]] == [each.profile for each in fewer[:3]]
    assert [str(each.beside) for each in systems[:3]] == [str(each.beside) for each in fewer[:3]]


def test_an_extrapolated_point_spreads_as_its_interval_says():
    """36 writers on 4 modules: far wider than the parameters, which the data leave a few percent."""
    options = NumaOptions(samples=SystemSamples(device_samples=20))
    times = np.array([near_puts_ns(options, sample) for sample in range(20)])
    low, middle, high = np.percentile(times / near_puts_ns(NumaOptions()), [5.0, 50.0, 95.0])
    assert 0.4 < low < 0.85 < middle < 1.25 < high < 2.5


def test_hosts_change_what_the_software_costs():
    options = NumaOptions(samples=SystemSamples(host_samples=5))
    times = [near_puts_ns(options, sample, 200.0) for sample in range(5)]
    assert len(set(times)) == 5


def test_without_spread_every_device_is_the_profile():
    options = NumaOptions(samples=SystemSamples(device_samples=2, device_spread=0.0))
    assert [near_puts_ns(options, sample) for sample in (0, 1)] == [near_puts_ns(NumaOptions())] * 2


def test_each_run_is_on_a_system_and_is_judged_by_its_own_best(small):
    scenario = small(**FEW)
    assert (scenario.devices, scenario.sampled, scenario.sampled_by) == (
        3, "hosts and devices", ("device_samples", "host_samples"),
    )  # fmt: skip
    plan = EvaluationPlan(
        scenario, ("none", "fixed:6,4,0"), seeds=3, steps=2, context_steps=2, contexts=("fillrandom",)
    )
    result = evaluate(plan)
    ops = [run.measures["ops_per_s"].mean() for run in result.runs["fixed:6,4,0"]]
    best = [best_ops_per_s(scenario.options, workload_of("fillrandom"), sample) for sample in range(3)]
    assert len(set(ops)) == 3
    assert [run.reward.mean() for run in result.runs["fixed:6,4,0"]] == pytest.approx(np.array(ops) / best)
    assert "devices" in summarise(result)["policies"]["none"]["overall"]["reward"]


def test_an_episode_runs_on_the_system_that_is_asked_for(small):
    env = ControlEnv(small(**FEW), "fillrandom", episode_steps=None)
    ops = [env.reset(seed=1, options={"device": number})[1]["ops_per_s"] for number in (0, 1, 2, 0)]
    env.close()
    assert len(set(ops)) == 3 and ops[3] == ops[0]


@pytest.fixture
def result(capsys):
    """What a command prints, as text and as JSON."""

    def of(*words):
        assert cli.main([*words]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert cli.main([*words, "--json"]) == 0
        return text, json.loads(capsys.readouterr().out)

    return of


SHORT = ("--engine", "analytic", "--window-s", "0.1")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("simulate", "--windows", "1", "--workload", "fillrandom"), "not fitted on 4 DIMMs (measured: 1 or 6)"),
        (("evaluate", "--workloads", "fillrandom", "--policies", "none", "--steps", "2", "--jobs", "1"), "--modules 6"),
        (
            ("simulate", "--windows", "1", "--workload", "fillrandom", "--modules", "6", "--placement", "48,36,0"),
            "extrapolated where more threads access a node",
        ),
    ],
)  # fmt: skip
def test_extrapolated_results_say_so(result, command, said):
    text, record = result(command[0], "numa-threads", *command[1:], *SHORT)
    assert said in text
    assert record["extrapolated"] is True


def test_what_was_measured_is_not_extrapolated(result):
    near = ("--modules", "6", "--threads", "6", "--placement", "6,4,0", "--value-bytes", "4096")
    text, record = result("simulate", "numa-threads", "--windows", "1", "--workload", "readrandom", *near, *SHORT)
    assert "extrapolated" not in text
    assert record["extrapolated"] is False


def test_medians_of_samples_have_an_interval(result):
    samples = ("--device-samples", "3", "--host-samples", "3")
    text, record = result("simulate", "numa-threads", "--windows", "1", "--workload", "fillrandom", *samples, *SHORT)
    assert "median of a sample 5 % 50 % 95 %" in text
    assert len(record["ops_per_s"]["median_by_sample"]) == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--device-seed", "1"), "belongs to --device-samples"),
        (("--device-samples", "1001"), "device-samples: 1001 is not accepted; allowed: 0 to 1000"),
    ],
)
def test_samples_that_make_no_sense_are_one_line(capsys, words, said):
    assert cli.main(["simulate", "numa-threads", "--windows", "1", *words]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
