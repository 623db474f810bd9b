"""Sizing: the cheapest of all choices, simulated beside its formulas, and goals that cannot be kept."""

import json

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies.replacement import make_cache, replay
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.sizing.options import SizingOptions
from pmtwin.scenarios.two_tier.sizing.popularity import miss_ratio, references, share_for
from pmtwin.scenarios.two_tier.sizing.search import Search

SMALL = ["--data-gb", "2", "--most-processes", "4", "--most-threads", "8", "--page-bytes", "524288", "1048576"]


def plan(capsys, *words, code=0):
    assert main(["plan", "two-tier", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_best_keeps_the_goal_and_the_simulation_agrees(capsys):
    report = plan(capsys, "--rate", "2000", "--p99", "40", "--run-bytes", "16384", "--measured", "400000", *SMALL)
    best, simulated = report["best"], report["simulated"]
    assert best["p99_ms"] <= 40.0 * 1.001 and max(best["rho1"], best["rho2"]) <= 0.9
    assert abs(simulated["miss_rate"]["percent"]) < 3.0 and abs(simulated["p99_ms"]["percent"]) < 10.0
    costs = [best["cost"], *(each["cost"] for each in report["runners_up"])]
    assert costs == sorted(costs) and len(costs) == 5


@pytest.mark.parametrize(
    ("p99", "said"), [("50", "the load decides, not the p99: rho"), ("7", "the p99 decides: 7 ms for a goal of 7 ms")]
)
def test_the_limit_that_decides_and_the_columns_are_said(capsys, p99, said):
    assert main(["plan", "two-tier", "--rate", "4000", "--p99", p99, "--measured", "0"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert said in shown and "mu2_per_s: misses per second that an I/O thread serves" in shown


def test_no_choice_of_the_whole_grid_is_cheaper():
    """A few hundred configurations looked at one by one, without bisection and without leaving any out."""
    sizing = SizingOptions(
        rate=900.0, p99=60.0, data_gb=0.1, run_bytes=8192, most_processes=3, most_threads=4, page_bytes=(1 << 20,)
    )
    search = Search(sizing, TwoTierOptions())
    best = search.best(1)[0]
    cheapest = np.inf
    for processes in (1, 2, 3):
        for threads in (1, 2, 3, 4):
            for lines in range(1, search.pages(1 << 20, processes) + 1):
                p = search.miss_rate(1 << 20, processes, lines)
                rate = 900.0 / processes
                loads = rate / (1000.0 * threads), p * rate / sizing.misses_per_s(1 << 20, processes)
                cost = sizing.cost(lines, processes, threads, 1 << 20)
                if max(loads) > 0.9 or cost >= cheapest:
                    continue
                if search.described(1 << 20, processes, threads, lines).p99_ms <= 60.0:
                    cheapest = cost
    assert best.cost == pytest.approx(cheapest, rel=1e-3)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("skew", [0.0, 0.7])
def test_misses_of_lru_beside_a_replay(share, skew):
    rng, cache = np.random.default_rng(1), make_cache("lru", int(20_000 * share))
    replay(cache, references(20_000, 400_000, 1.7, skew, rng))
    pages = references(20_000, 400_000, 1.7, skew, rng)
    assert replay(cache, pages) / pages.size == pytest.approx(miss_ratio(share, skew), rel=0.03)
    assert share_for(miss_ratio(share, skew), skew) == pytest.approx(share, rel=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rate", "1e6", "--p99", "50"], "the tier 1 queue is overloaded by a factor of 31.25"),
        (
            ["--rate", "9000", "--p99", "50", "--most-gb", "0.1", "--run-bytes", "4096"],
            "the miss queue is overloaded by",
        ),
        (["--rate", "100", "--p99", "2"], "--p99: 2.0 is not accepted; allowed: at least 4.605"),
        (["--rate", "0", "--p99", "2"], "--rate"),
        (["--rate", "5", "--p99", "nan"], "--p99"),
        (["--rate", "5", "--p99", "9", "--page-bytes", "512"], "--page-bytes"),
        (["--rate", "5", "--p99", "9", "--run-bytes", "5"], "--run-bytes"),
        (["--rate", "5", "--p99", "9", "--most-threads", "0"], "--most-threads"),
    ],
)
def test_impossible_goals_say_which_queue_and_by_how_much(words, message, capsys):
    given = [*SMALL] if "--page-bytes" not in words and "--most-threads" not in words else []
    assert main(["plan", "two-tier", *words, *given]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and message in shown.err and "Traceback" not in shown.err


def test_a_scenario_without_a_cost_is_refused(capsys):
    assert main(["plan", "nvm-middleware"]) == 2
    assert "two-tier" in capsys.readouterr().err
