"""`pmtwin simulate`: what it prints and writes, that both engines print the same, and what it refuses."""

import json
import re

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.sim.parameters.values import PARAMETERS
from tests.pmtwin.simulating import ADMISSION, QUARTILES, QUICK, simulate


def test_the_json(capsys):
    result = simulate(capsys, "--phase", "1", "--pools", "10,10", "--seed", "1")
    assert result["engine"] == "compiled"
    assert result["extrapolated"] is False
    assert simulate(capsys, "--phase", "1", "--pools", "12,13")["extrapolated"] is True  # measured up to 24 threads
    assert 0.0 <= result["attainment"] <= 1.0
    for measure in ("reward", "p99_us", "throughput_ops"):
        values = list(result[measure].values())
        assert list(result[measure]) == QUARTILES
        assert values == sorted(values)
    assert result["configuration"]["pools"] == [10, 10]
    assert result["configuration"]["workload"] == "phase-1"


def test_both_engines_print_the_same_numbers(capsys):
    for arguments in (["--phase", "2", "--pools", "3,4"], ["--workload", "section-4.2", "--pools", "none"]):
        compiled, simpy = (simulate(capsys, *arguments, "--engine", engine) for engine in ("compiled", "simpy"))
        assert (compiled.pop("engine"), simpy.pop("engine")) == ("compiled", "simpy")
        for result in (compiled, simpy):
            del result["configuration"]["arguments"]["twin"]["engine"]
        assert compiled == simpy


def test_seeds_matter_and_repeat(capsys):
    first, again, other = (simulate(capsys, "--seed", seed) for seed in "112")
    assert first == again
    assert first["reward"] != other["reward"]


def test_far_percentiles_are_those_of_all_requests(capsys, tmp_path):
    path = tmp_path / "requests.npz"
    result = simulate(capsys, "--windows", "10", "--requests-per-window", "5000", "--dump-latencies", str(path))
    with np.load(path, allow_pickle=False) as dumped:
        for number, name in enumerate(("interactive", "batch")):
            latency_us, tail = dumped["latency_us"][dumped["class"] == number], result["latency"][name]
            assert tail["requests"] == latency_us.size
            for percentile, share in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)):
                assert tail[percentile]["us"] == pytest.approx(np.quantile(latency_us, share), rel=0.005)
            assert tail["p99.999"]["us"] is None


def test_a_class_without_requests_has_no_percentile(capsys):
    result = simulate(capsys, "--workload", "svd")
    assert result["p99_us"] is None and result["reward"] is None and result["attainment"] is None
    assert result["latency"]["interactive"]["p50"]["us"] is None
    assert result["batch_ops"]["median"] > 0.0
    assert "independent" in result["interval"]


def test_no_middleware(capsys):
    result = simulate(capsys, "--pools", "none")
    assert result["configuration"]["pools"] is None
    assert result["configuration"]["mode"] == "direct"
    assert result["p99_us"] != simulate(capsys)["p99_us"]


def test_every_request_in_completion_order(capsys, tmp_path):
    path = tmp_path / "requests.npz"
    result = simulate(capsys, "--pools", "10,10", "--dump-latencies", str(path))
    with np.load(path, allow_pickle=False) as dumped:
        assert sorted(dumped) == ["class", "latency_us", "window"]
        assert dumped["window"].tolist() == np.repeat(np.arange(4), 200).tolist()
        assert set(dumped["class"].tolist()) == {0, 1}
        p99 = [
            np.percentile(dumped["latency_us"][(dumped["window"] == window) & (dumped["class"] == 0)], 99)
            for window in range(4)
        ]
    assert result["p99_us"]["max"] == pytest.approx(max(p99), rel=1e-12)
    assert result["p99_us"]["min"] == pytest.approx(min(p99), rel=1e-12)
    assert [entry.name for entry in tmp_path.iterdir()] == ["requests.npz"]


@pytest.mark.parametrize("name", ["section-4.2", "ycsb-e", "azure-blob", "svd", "traces"])
def test_workloads_by_name(capsys, name):
    result = simulate(capsys, "--workload", name)
    assert result["configuration"]["workload"] == name
    assert result["throughput_ops"]["median"] > 0


def test_offered_rates(capsys):
    paced = simulate(capsys, "--load", "steady", "--interactive-rate-ops", "1000", "--batch-rate-ops", "3000")
    assert paced["configuration"]["offered_ops"] == {"interactive": 1000, "batch": 3000}
    assert paced["throughput_ops"]["median"] == pytest.approx(4000, rel=0.2)
    assert paced["interactive_ops"]["median"] == pytest.approx(1000, rel=0.2)
    closed = simulate(capsys, "--interactive-rate-ops", "none", "--batch-rate-ops", "none")
    assert closed["throughput_ops"]["median"] > 10 * paced["throughput_ops"]["median"]
    ycsb = simulate(capsys, "--workload", "ycsb-a", "--interactive-rate-ops", "5000")
    assert ycsb["throughput_ops"]["median"] == pytest.approx(5000, rel=0.2)


def test_parameters_of_the_model(capsys):
    assumed = "--pools", "10,10", "--host", "assumed"
    slow = simulate(capsys, *assumed, "--set", "handoff_ns=60000")
    assert slow["configuration"]["twin"]["parameters"] == {"handoff_ns": 60000}
    assert slow["p99_us"]["median"] > simulate(capsys, *assumed)["p99_us"]["median"]


def test_the_inferred_host_is_the_default_and_what_is_set_goes_before_it(capsys):
    twin = simulate(capsys, "--set", "handoff_ns=60000")["configuration"]["twin"]
    assert twin["host"] == "inferred" and twin["parameters"]["handoff_ns"] == 60000
    assert twin["parameters"]["handoff_contention_threads"] != PARAMETERS["handoff_contention_threads"].default


@pytest.mark.parametrize(
    ("arguments", "warned"),
    [((), True), (("--set", "records=0"), False), (("--contexts", "device-bound"), False)],
)
def test_a_store_that_was_fitted_beside_another_device_is_warned_of_where_its_records_count(arguments, warned, capsys):
    words = ["simulate", "nvm-middleware", *QUICK, "--phase", "1", "--profile", "dram-ddr4", *arguments, "--json"]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    warnings = json.loads(shown.out)["configuration"]["warnings"]
    assert ("warning: the store of host inferred" in shown.err) == warned == (len(warnings) == 1)


def test_sampled_hosts_each_have_a_median_of_the_reward(capsys):
    result = simulate(capsys, "--host-samples", "3", options=("--windows", "2", "--warmup-windows", "1"))
    medians = result["reward"]["median_by_sample"]
    assert len(set(medians)) == 3
    words = ["simulate", "nvm-middleware", "--phase", "1", "--host-samples", "3", "--windows", "2"]
    assert cli.main([*words, "--warmup-windows", "1"]) == 0
    shown = capsys.readouterr().out.split("median of a sample")[1]
    assert shown.split("reward")[1].split()[1] == f"{np.median(medians):.5g}"


def test_the_attainment_has_an_interval_and_the_unit_of_evaluations(capsys):
    result = simulate(capsys, "--pools", "10,10")
    ends = result["attainment_interval"]
    assert 0.0 <= ends["low"] <= result["attainment"] <= ends["high"] <= 1.0 and ends["low"] < ends["high"]
    assert cli.main(["simulate", "nvm-middleware", *QUICK, "--pools", "10,10"]) == 0
    shown = capsys.readouterr().out
    share, low, high = (f"{100 * value:.1f}" for value in (result["attainment"], ends["low"], ends["high"]))
    assert re.search(rf"^attainment +{share.removesuffix('.0')} % of windows \[{low}–{high}\]$", shown, re.MULTILINE)
    assert "attainment: 95 % interval as if windows were independent" in shown


def test_of_samples_the_interval_of_the_attainment_is_over_these(capsys):
    two, three = (
        simulate(capsys, "--host-samples", count, options=("--windows", "2", "--warmup-windows", "1")) for count in "23"
    )
    assert two["attainment_interval"] is None and "samples" in three["attainment_interval"]["over"]


def test_samples_of_a_host_without_draws_are_refused(capsys):
    assert cli.main(["simulate", "nvm-middleware", "--host", "assumed", "--host-samples", "5"]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1 and "--host" in error and "assumed" in error


def test_windows_of_the_thesis(capsys):
    arguments = ["--load", "steady", "--interactive-rate-ops", "500", "--batch-rate-ops", "500"]
    options = ("--windows", "4", "--warmup-windows", "1")
    drained = simulate(capsys, "--drain", *arguments, options=options)
    assert drained["throughput_ops"]["median"] == pytest.approx(1000, rel=0.1)
    assert drained == {
        **simulate(capsys, "--drain", "--window-seconds", "1", *arguments, options=options),
        "configuration": drained["configuration"],
    }


def test_the_constants_of_the_reward(capsys):
    lenient = simulate(capsys, "--latency-goal-us", "1000000", "--throughput-goal-ops", "0")
    assert lenient["attainment"] == 1.0
    assert lenient["reward"]["min"] > 0


def test_a_readable_table(capsys):
    assert cli.main(["simulate", "nvm-middleware", *QUICK]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["per", "window", *QUARTILES]
    assert [line.split()[0] for line in lines[1:4]] == ["reward", "p99_us", "throughput_ops"]


@pytest.mark.parametrize(("words", "limit"), [("", "200"), ("--phase 1", "200"), ("--goal p99_us=150", "150")])
def test_the_goals_behind_the_attainment_are_in_one_row(words, limit, capsys):
    assert cli.main(["simulate", "nvm-middleware", *QUICK, *words.split()]) == 0
    shown = capsys.readouterr().out
    rows = [line.split(maxsplit=1) for line in shown.splitlines() if line.startswith("goals ")]
    assert rows == [["goals", f"p99_us at most {limit}; throughput_ops at least 250,000"]]
    assert "latency_goal_us" not in shown


def test_the_statistics_of_an_own_blob_trace(capsys, tmp_path):
    header = "Timestamp,AnonRegion,AnonUserId,AnonAppName,AnonFunctionInvocationId,AnonBlobName,BlobType,AnonBlobETag"
    rows = [f"{time},r,u,a,i,b,BlockBlob,e,{size},True,False" for time, size in ((0, 10), (7, 20), (9, 30))]
    path = tmp_path / "trace.csv"
    path.write_text("\n".join([header + ",BlobBytes,Read,Write", *rows]) + "\n")
    arguments = ["--workload", "azure-blob", "--pools", "10,10"]
    assert simulate(capsys, *arguments, "--blob-trace", str(path)) != simulate(capsys, *arguments)
    path.write_text("a,b\n1,2\n")
    assert cli.main(["simulate", "nvm-middleware", *arguments, "--blob-trace", str(path)]) == 2


def test_windows_with_a_validity_warning_are_told_and_too_many_are_an_error(capsys, monkeypatch):
    monkeypatch.setattr(
        "pmtwin.scenarios.nvm_middleware.model.middleware.Middleware.validity_warning",
        lambda middleware: "requests failed",
    )
    assert cli.main(["simulate", "nvm-middleware", "--windows", "3", "--requests-per-window", "50", "--json"]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["validity_warnings"]["reasons"] == {"requests failed": 3}
    assert "3 windows have a validity warning of the system: requests failed" in shown.err


def test_where_the_time_goes(capsys, monkeypatch):
    from pmtwin.scenarios.nvm_middleware import explaining

    monkeypatch.setattr(explaining, "PARAMETERS", {"handoff_ns": explaining.PARAMETERS["handoff_ns"]})
    explained = simulate(capsys, "--explain")["explain"]
    assert list(explained) == ["windows", "time", "use", "limits", "because", "moves", "moved_windows"]
    stations = explained["time"]["batch"]["stations"]
    assert sum(station["percent"] for station in stations.values()) == pytest.approx(100.0)
    assert {move["parameter"] for move in explained["moves"]} == {"handoff_ns"}
    assert cli.main(["simulate", "nvm-middleware", *QUICK, "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "batch: time at" in shown and f"limits: {explained['limits']}" in shown and "handoff_ns [ns]" in shown
    notes = " ".join(shown.split("% per %")[-2:]).replace("\n", " ")
    assert "throughput_ops: only 1 moves this median" in notes


def test_what_an_explanation_compares_is_said():
    from pmtwin.scenarios.simulation.explanation import Explanation
    from pmtwin.simulation.explanation import explanation_notes

    traced, moved, *few = explanation_notes(Explanation(3, {}, {}, "", "", moved_windows=8), 200, ["p99_us"])
    assert traced == "time and use: the first 3 of 200 windows"
    assert "medians over the first 8 of 200 windows with the present value and with the ends" in moved
    assert few == ["p99_us: none moves this median; a parameter is left out too where an end of its range is refused"]
    traced, *_ = explanation_notes(Explanation(5, {}, {}, "", "", moved_windows=5), 5, [])
    assert traced == "time and use: all 5 windows"


def test_a_scenario_that_does_not_say_where_its_time_goes(capsys):
    assert cli.main(["simulate", f"{ADMISSION}:Admission", "--explain"]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1 and "explain" in error and "cannot say where its time goes" in error


def test_windows_that_offer_too_little_are_told(capsys):
    words = ["simulate", "nvm-middleware", "--windows", "40", "--requests-per-window", "200", "--pools", "10,10"]
    assert cli.main([*words, "--goal", "throughput_ops=300000"]) == 0
    assert "of the windows clients offer less than a goal asks for" in " ".join(capsys.readouterr().out.split())
