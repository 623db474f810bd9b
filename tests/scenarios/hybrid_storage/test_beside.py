"""What an evaluation shows beside the policies: latencies over Fast-Only, yardsticks, regrets, gaps, several sizes."""

import json
import random

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.scenarios.comparison.evaluation import EvaluationPlan, evaluate
from pmtwin.scenarios.hybrid_storage import HybridStorage
from pmtwin.scenarios.hybrid_storage.beside import _gaps, results_beside

POLICIES = ("write-lru", "static-set", "slow-only", "fast-only")
WITHOUT_PREFETCH = ("write-lru", "cde", "lru-clean", "slow-only")


@pytest.fixture
def trace(tmp_path):
    draws, path = random.Random(3), tmp_path / "t.csv"
    rows = (
        f"{90 * k},{draws.choice('RRW')},{4096 * int(draws.paretovariate(0.6)) % 819200},4096\n" for k in range(800)
    )
    path.write_text("time_us,op,offset,size\n" + "".join(rows))
    return path


def evaluated(capsys, *words):
    common = ("--requests-per-window", "100", "--jobs", "1", "--json")
    assert main(["evaluate", "hybrid-storage", *common, *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_no_policy_without_prefetch_is_faster_than_the_optimum_and_none_than_fast_only(trace, capsys):
    result = evaluated(capsys, "--trace", str(trace), "--fast", "10", "--seeds", "1", "--policies", *POLICIES)
    assert set(result["possible"]) == {"optimum", "optimum_charged", "oracle_epoch"}
    assert result["possible"]["optimum"]["kind"] == result["optimum_kind"] == "exact"
    assert (
        result["optimum"] == pytest.approx(result["possible"]["optimum"]["over_fast_only"]) and result["optimum"] > 1.0
    )
    closed = result["gap_closed"]
    assert closed["write-lru"] == 0.0 and set(closed) == set(POLICIES)
    assert all(closed[name] <= 1.0 for name in POLICIES[:3]) and closed["fast-only"] > 1.0
    assert closed["slow-only"] < 0.0


@pytest.mark.parametrize(("gap", "closed"), [(2.5e-6, {}), (9e-4, {}), (0.0, {}), (2e-3, {"heat": {0: -1.0}})])
def test_no_share_of_a_gap_below_a_thousandth_of_the_optimum_is_given(gap, closed):
    values = {"write-lru": {0: 2.0 * (1.0 + gap)}, "heat": {0: 2.0 * (1.0 + 2.0 * gap)}}
    shares = _gaps(values, {0: 2.0}, ["heat"])
    assert {spec: {0: pytest.approx(runs[0])} for spec, runs in shares.items()} == closed


@pytest.mark.parametrize("number", range(8))
def test_one_thread_is_never_below_fast_only_nor_without_prefetch_below_the_optimum(number):
    draws = random.Random(number)
    scenario = HybridStorage.of(
        devices=draws.choice(["perf", "cost", "pmem", "H+LSSD", "PMEM+M"]),
        fast=draws.choice([0.5, 2, 10, 40]),
        layout=draws.choice(["home", "append"]),
        hdd_writes=draws.choice(["cached", "sync"]),
        decision_ns=draws.choice([0.0, 240.0]),
        skew=draws.uniform(0.0, 1.3),
        drift=draws.choice([0, 50]),
        burstiness=draws.choice([0.0, 2.0]),
        footprint_pages=2_000,
        length=1_200,
        requests_per_window=100,
        measured=draws.choice([0.5, 1.0]),
    )
    workload = draws.choice(["LUN2", "LUN4", "ssd-02", "ssd-03", "YCSB-D"])
    count = round(1_200 * scenario.options.measured) // 100 - (scenario.options.measured == 1.0)
    plan = EvaluationPlan(
        scenario, (*WITHOUT_PREFETCH, "fast-only"), "order", count, count, seeds=2, seed=number, contexts=(workload,)
    )
    result = results_beside(evaluate(plan))
    over, regret = (result[name]["overall"] for name in ("over_fast_only", "regret"))
    assert over["fast-only"]["runs"] == [1.0, 1.0] and min(over["optimum"]["runs"]) >= 1.0 - 1e-12
    for spec in WITHOUT_PREFETCH:
        assert min(over[spec]["runs"]) >= 1.0 - 1e-12 and min(regret[spec]["runs"]) >= -1e-12, spec


def test_drawn_workloads_have_yardsticks_regrets_and_gaps_of_each_seed(capsys):
    words = ("--workloads", "LUN4", "ssd-02", "--length", "600", "--footprint-pages", "500", "--seeds", "3")
    result = evaluated(capsys, *words, "--policies", "lru-clean", "write-lru")
    assert {name: len(rows) for name, rows in result["possible"].items()} == {"LUN4": 3, "ssd-02": 3}
    over, regret, gap = (result[name] for name in ("over_fast_only", "regret", "gap"))
    for context in ("LUN4", "ssd-02"):
        values = {name: entry["runs"] for name, entry in over["contexts"][context].items()}
        rows = [row["optimum"] for row in result["possible"][context]]
        assert values["optimum"] == [row["over_fast_only"] for row in rows]
        means_us = result["policies"]["lru-clean"]["workloads"][context]["mean_us"]["mean"]
        least = np.mean([row["mean_us"] for row in rows])
        assert regret["contexts"][context]["lru-clean"]["mean"] == pytest.approx(
            np.mean(values["lru-clean"]) * (1.0 - least / means_us), rel=0.01
        )
        shares, whole = (np.array(regret["contexts"][context][spec]["runs"]) for spec in ("lru-clean", "write-lru"))
        assert gap["contexts"][context]["lru-clean"]["runs"] == pytest.approx((1.0 - shares / whole).tolist())
    means = [np.mean([over["contexts"][name]["optimum"]["runs"][k] for name in over["contexts"]]) for k in range(3)]
    assert over["overall"]["optimum"]["runs"] == pytest.approx(means)
    assert result["optimum"] == pytest.approx(np.mean(means))
    assert result["gap_closed"]["lru-clean"] == pytest.approx(np.mean(gap["overall"]["lru-clean"]["runs"]))
    (pair,) = (row for row in result["over"] if (row["policy"], row["against"]) == ("lru-clean", "write-lru"))
    ours, theirs = (np.array(over["overall"][spec]["runs"]) for spec in ("lru-clean", "write-lru"))
    assert pair["ratio"]["mean"] == pytest.approx(np.mean(theirs / ours - 1.0))
    assert pair["share"]["mean"] == pytest.approx(np.mean(1.0 - ours / theirs))


def test_several_capacities_stand_side_by_side_and_each_is_that_of_its_own_run(trace, capsys):
    common = ("--trace", str(trace), "--seeds", "1", "--policies", "write-lru", "heat")
    together = evaluated(capsys, *common, "--fast", "2%,10")
    assert together["fast"] == ["2%", "10%"] and list(together["optimum"]) == ["2%", "10%"]
    for percent in ("2%", "10%"):
        alone = evaluated(capsys, *common, "--fast", percent)
        assert together["optimum"][percent] == alone["optimum"]
        for spec in ("write-lru", "heat"):
            assert together["gap_closed"][spec][percent] == alone["gap_closed"][spec]
            mean = alone["over_fast_only"]["overall"][spec]["mean"]
            assert together["mean_over_fast_only"][spec][percent] == mean
    assert together["configuration"]["arguments"]["fast"] == [2.0, 10.0]


def test_a_result_repeats_its_run_with_the_same_capacities(trace, tmp_path, capsys):
    file = tmp_path / "result.json"
    words = ("--trace", str(trace), "--seeds", "1", "--policies", "write-lru", "--yardsticks", "optimum")
    first = evaluated(capsys, *words, "--fast", "2%,10%", "--output", str(file))
    assert json.loads(file.read_text())["optimum"] == first["optimum"]
    assert main(["evaluate", "--config", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["optimum"] == first["optimum"]


def test_the_text_has_the_optimum_and_over_in_both_ways(capsys):
    words = ["evaluate", "hybrid-storage", "--workloads", "LUN4", "ssd-02", "--length", "400", "--jobs", "1"]
    words += ["--footprint-pages", "500", "--requests-per-window", "100", "--seeds", "2"]
    assert main([*words, "--policies", "write-lru", "lru-clean"]) == 0
    text = capsys.readouterr().out
    assert "regret  gap closed  write-lru/it - 1  1 - it/write-lru" in text
    assert text.count("\noptimum ") == 1 and "\nLUN4  " in text and "\nssd-02  " in text


def test_with_several_threads_the_optimum_is_called_an_estimate(capsys):
    words = ["--workloads", "mix1", "--length", "400", "--footprint-pages", "500", "--yardsticks", "optimum"]
    words += ["--seeds", "1", "--policies", "write-lru", "lru-clean", "--requests-per-window", "100", "--jobs", "1"]
    assert main(["evaluate", "hybrid-storage", *words]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "regret (estimate) gap closed (estimate)" in text and "optimum (estimate)" in text
    assert "a policy can beat it" in text
    result = evaluated(capsys, *words, "--fast", "2,10")
    assert result["optimum_kind"] == "estimate" == result["by_fast"]["2%"]["possible"]["mix1"][0]["optimum"]["kind"]


def test_three_devices_have_no_yardstick(trace, capsys):
    result = evaluated(capsys, "--trace", str(trace), "--seeds", "1", "--devices", "tri", "--policies", "write-lru")
    assert "over_fast_only" in result and not {"possible", "optimum", "gap_closed"} & set(result)


def test_no_yardstick_if_none_is_asked_for(trace, capsys):
    words = ("--trace", str(trace), "--seeds", "1", "--policies", "write-lru", "--yardsticks", "none")
    assert not {"possible", "optimum"} & set(evaluated(capsys, *words))
