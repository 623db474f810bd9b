"""The worked example of section V: formulas, both engines beside them, overload, and what is refused."""

import json

import pytest

from pmtwin import cli
from pmtwin.scenarios import load_scenario, make_environment
from pmtwin.scenarios.two_tier.formulas import effective_rate, equilibrium, fluid, shares
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.simulated import run_equilibrium, run_workload

EXAMPLE = ("simulate", "two-tier", "--example", "section-v")


def run(capsys, *words: str) -> dict:
    assert cli.main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def options(**values) -> TwoTierOptions:
    return load_scenario("two-tier").of(**values).options


def test_the_formulas_give_the_corrected_numbers(capsys):
    report = run(capsys, *EXAMPLE, "--engine", "analytic")
    assert report["rho2"] == pytest.approx(0.606, abs=5e-4)
    assert report["l2"] == pytest.approx(0.932, abs=5e-4)
    assert report["w2_ms"] == pytest.approx(46.6, abs=0.05)
    assert report["l1"] < 1e-20
    assert report["mean_response_ms"] == pytest.approx(16.38, abs=0.01)
    assert report["completion_s"] == 25.0
    assert report["service_s"] == pytest.approx(500 / 33) and report["hit_time_s"] == 2.5
    assert report["effective_rate_per_s"] == 100.0


def test_one_thread_and_one_pool(capsys):
    report = run(capsys, *EXAMPLE, "--engine", "analytic", "--threads", "1")
    assert report["l1"] == pytest.approx(0.0111, abs=5e-5)
    report = run(capsys, *EXAMPLE, "--engine", "analytic", "--threads", "1", "--servers", "shared")
    assert report["w1_ms"] == pytest.approx(58.8, abs=0.05)
    assert "w2_ms" not in report


def test_without_misses_their_queue_is_empty(capsys):
    for words in (("--engine", "analytic"), ("--requests", "1000", "--measured", "1000")):
        report = run(capsys, *EXAMPLE, "--miss-rate", "0", *words)
        assert report["l2"] == report["w2_ms"] == 0.0
        assert report.get("formulas", report)["transient_response_ms"] == pytest.approx(1.0)


def test_the_simulation_agrees_with_the_formulas(capsys):
    report = run(capsys, *EXAMPLE, "--measured", "4000000", "--threads", "1", "--seed", "2")
    for name, error in {"rho2": 0.01, "w2_ms": 0.03, "l1": 0.03, "mean_response_ms": 0.03}.items():
        assert report[name] == pytest.approx(report["formulas"][name], rel=error)
    low, high = report["intervals"]["w2_ms"]
    assert low < report["w2_ms"] < high
    assert report["equilibrium"] and report["completion_s"] == pytest.approx(25.5, rel=0.06)


@pytest.mark.parametrize("servers", ["separate", "shared"])
@pytest.mark.parametrize(
    "values",
    [{}, {"miss_rate": 0.0}, {"miss_rate": 1.0, "rate": 20.0}, {"miss_rate": 1e-6}, {"cov2": 0.5, "cov1": 0.0}],
)
def test_both_engines_give_the_same_numbers(servers, values):
    shown = []
    for engine in ("simpy", "compiled"):
        chosen = options(**{"rate": 100.0, "servers": servers, "engine": engine, "requests": 900} | values)
        shown.append((run_equilibrium(chosen, chosen.rate, 4, 2_000, 3), run_workload(chosen, chosen.rate, 4, 3)))
    assert shown[0] == shown[1]


def test_overload_ends_when_the_fluid_limit_says(capsys):
    report = run(capsys, *EXAMPLE, "--rate", "180", "--requests", "200000", "--processes", "2")
    assert not report["equilibrium"] and report["formulas"]["completion_s"] == pytest.approx(20_000 / 33)
    assert report["completion_s"] == pytest.approx(report["formulas"]["completion_s"], rel=0.02)


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ({"rate": 100.0}, 25.0),
        ({"rate": 300.0}, 500 / 33),
        ({"rate": 1e6, "miss_rate": 0.0}, 2.5 / 4),
        ({"rate": 1e6, "servers": "shared"}, (2.0 + 500 / 33) / 4),
    ],
)
def test_the_slowest_part_decides_the_fluid_limit(values, seconds):
    chosen = options(**values)
    assert fluid(chosen, chosen.rate, 4).completion_s == pytest.approx(seconds)


def test_tier_1_gets_no_more_misses_than_are_read():
    assert effective_rate(options(), 300.0) == pytest.approx(240.0 + 33.0)


def test_every_request_belongs_to_a_process():
    parts = shares(options(requests=11, processes=4, miss_rate=0.5))
    assert parts == [(3, 2), (3, 2), (3, 2), (2, 1)]


def test_services_that_do_not_vary_wait_half_as_long():
    exponential, constant = (equilibrium(options(cov2=cov), 100.0, 16).w2_ms for cov in (1.0, 0.0))
    assert constant == pytest.approx(0.5 * exponential)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rate", "300", "--engine", "analytic"), "miss queue: 60.0 "),
        (("--rate", "300", "--engine", "analytic"), "factor of 1.818"),
        (("--mu1-per-s", "5", "--engine", "analytic"), "tier 1 queue: 100.0 "),
        (("--rate", "0"), "--rate: 0.0"),
        (("--rate", "nan"), "--rate: nan"),
        (("--rate", "none"), "--rate is missing: a number of requests/s, as example section-v has no loads"),
        (("--miss-rate", "1.2"), "--miss-rate: 1.2"),
        (("--miss-rate", "-0.1"), "--miss-rate: -0.1"),
        (("--threads", "0"), "--threads: '0'"),
        (("--mu2-per-s", "0"), "--mu2-per-s: 0.0"),
        (("--processes", "0"), "--processes: 0"),
        (("--servers", "many"), "--servers: 'many'"),
        (("--engine", "analytic", "--measured", "2000"), "--measured 2000 belongs to --example section-v"),
        (("--example", "section-vi"), "did you mean 'section-v'"),
    ],
)
def test_bad_input_is_one_line(words, message, capsys):
    given = EXAMPLE if "--example" not in words else EXAMPLE[:2]
    assert cli.main([*given, *words]) == 2
    shown = capsys.readouterr()
    said = [line for line in shown.err.splitlines() if not line.startswith("compiling ")]  # the first to compute waits
    assert message in said[0] and len(said) == 1 and not shown.out


def test_a_run_is_repeated_from_its_result(tmp_path, capsys):
    words = (*EXAMPLE, "--measured", "20000", "--miss-rate", "0.1", "--seed", "5")
    first = run(capsys, *words)
    (tmp_path / "first.json").write_text(json.dumps(first))
    assert run(capsys, "simulate", "two-tier", "--config", str(tmp_path / "first.json")) == first


@pytest.mark.parametrize("engine", ["analytic", "compiled"])
def test_the_threads_are_a_setting_that_a_policy_controls(engine):
    """Of a pool of threads that serves misses too: one more thread, shorter responses."""
    values = {"engine": engine, "servers": "shared", "miss_rate": 0.1, "requests_per_window": 20_000}
    env = make_environment("two-tier", load="busy", initial_threads=(2,), episode_steps=None, **values)
    env.reset(seed=1)
    responses = [env.carry_out(action)[4]["mean_response_ms"] for action in (1, 2, 2)]
    assert responses[0] > responses[1] > responses[2] and env.setting == (4,)
    env.set_context("calm")
    assert env.carry_out(1)[4]["mean_response_ms"] < responses[2]
    env.close()
