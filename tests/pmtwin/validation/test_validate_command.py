"""`pmtwin validate`: what it prints, its exit codes, and that an interrupted validation goes on."""

import json

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.middleware import binding
from pmtwin.middleware.settings import NativeSettings
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, save_model
from pmtwin.scenarios.nvm_middleware.host.options import ROUND_S, HostOptions
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.validation.measured import MeasuredMiddleware, medium_of
from pmtwin.sim.errors import MissingDependencyError
from pmtwin.sim.host.file import document
from pmtwin.validation import running

LOG_COLUMNS = (True,) * 6 + (False,) * 2
"""Table 3.2: two pools, two queues and two block sizes are counts or sizes; two write ratios are shares."""

QUICK = ["--grid", "2,2", "4,4", "--phases", "1", "--windows", "3", "--seeds", "3", "--requests-per-window", "200"]
MAP = ["--store", "map", "--host", "none", "--interactive-rate-ops", "5000", "--batch-rate-ops", "5000"]
LOOSE = [
    *("--throughput-median", "1e6", "--p99-median", "1e6", "--best-loss", "1e6", "--reward-loss", "1e6"),
    *("--sla-disagreement", "100", "--little-share", "100", "--warned-share", "100"),
]


@pytest.fixture
def native():
    try:
        return binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))


def validate(capsys, *arguments, code=0):
    assert cli.main(["validate", *QUICK, *MAP, *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_json_the_report_and_what_is_kept(native, capsys, tmp_path):
    keep, report = tmp_path / "keep", tmp_path / "report"
    host = tmp_path / "host.json"  # says nothing of the profile that it was measured beside
    host.write_text(
        json.dumps(document({"handoff_ns": {"value": 9e3, "origin": "measured", "source": "a test"}}, {}, {}))
    )
    given = ["--host", str(host)]
    result = validate(capsys, *LOOSE, *given, "--keep", str(keep), "--report", str(report))
    assert result["verdict"]["name"] == "validated (DRAM)"
    named = [entry for entry in result["comparisons"] if entry["group"] != "added case, at saturation"]
    assert [entry["pools"] for entry in named] == [[2, 2], [4, 4]]
    assert result["passed"] and 0 <= result["sla_agreement"] <= 1
    assert min(result["p99_median_percent"], result["throughput_median_percent"]) >= 0
    assert result["best_loss_percent"] >= 0
    assert any(entry["saturated"] for entry in result["comparisons"])  # 10,000 operations/s saturate nothing
    for entry in result["comparisons"]:
        for side in ("predicted", "measured"):
            assert entry["throughput_ops"][side]["low"] <= entry["throughput_ops"][side]["mean"]
    assert result["windows"] == 9 * len(result["comparisons"])
    assert result["configuration"]["middleware"]["store"] == "map"
    page = (report / "index.html").read_text()
    assert "validated (DRAM)" in page
    assert "Optane" not in page
    assert "phases, steady on both sides, 10,000 operations/s" in page and "p99_us at most 200; " in page
    assert result["verdict"]["warnings"][0] == result["configuration"]["warnings"][0] and "host.json" in page
    assert {"name": "handoff_ns", "value": 9e3, "origin": "measured", "source": f"{host}: a test"} in result[
        "configuration"
    ]["parameters"]
    assert (report / "validation.svg").exists()
    again = validate(capsys, *LOOSE, *given, "--keep", str(keep))
    assert again["comparisons"] == result["comparisons"]


def test_a_policy_is_held_against_the_best_fixed_pools_of_the_middleware(native, capsys, tmp_path):
    size = ["--transfer", "fixed:2,2", "--windows", "2", "--lead-windows", "1", "--seeds", "3", "--phases", "1"]
    loose = [*LOOSE, "--transfer-loss", "1e6", "--throughput-goal-ops", "1e8", "--keep", str(tmp_path)]
    command = ["validate", *size, "--requests-per-window", "100", *MAP, "--json"]
    assert cli.main([*command, *loose]) == 0
    result = json.loads(capsys.readouterr().out)
    (first,) = result["transfer"]
    assert first["workload"] == "phase-1"
    assert all(1 <= size <= 32 for size in first["pools"])
    assert first["decided_by"] == "median reward"  # no window reaches the goal of throughput
    assert "phase-1: median reward that the policy loses" in result["verdict"]["reasons"][-1]
    assert cli.main([*command, *loose]) == 0
    assert json.loads(capsys.readouterr().out)["transfer"] == result["transfer"]  # the search is kept as well


def test_a_comparison_that_does_not_pass_ends_with_1_and_says_why(native, capsys):
    assert cli.main(["validate", *QUICK, *MAP, *LOOSE, "--p99-median", "0"]) == 1
    text = capsys.readouterr().out
    told = " ".join(text.split())
    verdict, _, scope = told.rpartition(" verdict: ")[2].partition(" scope: ")
    assert verdict.startswith("not validated (DRAM): median error of p99") and "(at most 0 %" in verdict
    assert told.startswith(verdict) and "main memory" not in verdict  # what it ran on is no reason
    assert "main memory" in scope
    assert "warning: the twin has the host parameters of its defaults" in text
    assert "median error of p99" in text


def test_without_the_library_it_ends_with_3(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(binding, "FOLDER", tmp_path)
    binding.load.cache_clear()
    assert cli.main(["validate", *QUICK, *MAP]) == 3
    binding.load.cache_clear()
    assert "make build" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--grid", "0,4"], "--grid"),
        (["--store", "disk"], "--store"),
        (["--engine", "native"], "--engine"),
        (["--p99-worst", "-1"], "--p99-worst"),
        (["--policies", "fixd:1,1"], "fixd"),
        (["--policies", "lru"], "'lru' decides inside the windows, where the real system asks none"),
        (["--transfer", "weight-sharing"], "'weight-sharing' decides inside the windows"),
        (["--transfer", "pools=threshold+page=lru"], "decision point of nvm-middleware: 'page'"),
        (["--workload", "section-4.2"], "--phases"),
        (["--grid", "4,4", "4,4"], "fixed:4,4"),
        (["--windows", "0"], "--windows"),
        (["--transfer", "none"], "--transfer"),
        (["--lead-windows", "-1", "--transfer", "threshold"], "--lead-windows"),
        (["--learn-bounds", "2,2:8,8"], "--learn-bounds"),
        (["--learn", "q.npz", "--learn-bounds", "8,8:2,2"], "--learn-bounds"),
        (["--learn", "q.npz", "--learn-step", "0"], "--learn-step"),
        (["--learn", "q.npz", "--fall-back-after", "x"], "--fall-back-after"),
        (["--learn", "q.npz", "--resume-after", "0"], "--resume-after"),
        (["--learnt", "folder"], "--learnt"),
        (["--store", "pmemkv", "--path", "/proc"], "proc"),
        (["--policies", "threshold", "best-fixed"], "best-fixed"),
        (["--device-samples", "2"], "--device-samples"),
    ],
)
def test_bad_input_ends_with_2_before_anything_runs(arguments, word, capsys):
    try:
        assert cli.main(["validate", *QUICK, *MAP, *arguments]) == 2
    except SystemExit as left:
        assert left.code == 2
    said = capsys.readouterr().err
    assert word in said
    assert "measured:" not in said and "predicted:" not in said


@pytest.mark.parametrize("name", ["ycsb-e", "ycsb-f", "ycsb-g"])
def test_a_workload_that_the_middleware_cannot_serve_is_refused_and_not_offered(name, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(binding, "FOLDER", tmp_path)
    binding.load.cache_clear()  # bad input is told whether or not the library is there
    assert cli.main(["validate", "--dry-run", "--workload", name]) == 2
    binding.load.cache_clear()
    told = capsys.readouterr().err.replace(name, "")
    assert "--workload" in told and "ycsb-d" in told
    assert "ycsb-e" not in told and "ycsb-f" not in told


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--dilation", "1"], "--dilation: 1.0 is not accepted; allowed: at least "),
        (["--queue", "nope"], "--queue: 'nope' is not accepted"),
        (["--store", "map", "--queue", "nope"], "--queue: 'nope' is not accepted"),
        (["--store", "map", "--batch-cpus", "4000"], "--batch-cpus: '4000' is not accepted"),
        (["--store", "map", "--interactive-node", "4000"], "--interactive-node: '4000' is not accepted"),
    ],
)
@pytest.mark.parametrize("how", [[], ["--dry-run"]])
def test_what_the_middleware_cannot_start_with_is_refused_before_the_twin_has_run(
    native, arguments, named, how, capsys
):
    assert cli.main(["validate", *QUICK, *arguments, *how]) == 2
    said = capsys.readouterr().err
    assert named in said and "predicted:" not in said


def test_a_window_that_only_a_twin_has_is_refused_before_the_twin_has_run(capsys):
    assert cli.main(["validate", "--dry-run", "--window-seconds", "1"]) == 2
    assert "--window-seconds" in capsys.readouterr().err


def test_the_bar_of_the_real_system_begins_with_the_expected_time(native, capsys, monkeypatch):
    expected, shown = {}, running.progress

    def noted(desc, expected_s, **others):
        expected.setdefault(desc, expected_s)
        return shown(desc=desc, **others)

    monkeypatch.setattr(running, "progress", noted)
    monkeypatch.setattr(running, "expected_seconds", lambda plan, side, cases: 40.0 * len(cases))
    assert cli.main(["validate", *QUICK, *MAP, *LOOSE]) == 0
    assert expected == {"measured": 80.0, "predicted": None}
    said = capsys.readouterr().err
    assert "to be measured: 2 cases, 3 seeds, 18 windows" in said
    assert "to be predicted: 3 cases, 3 seeds, 27 windows" in said  # with the case that saturates


def test_a_dry_run_prints_what_a_user_decides(capsys):
    words = ["--grid", "4,4", "8,8", "--set", "dimms=2", "--store", "map", "--keys", "500", "--goal", "p99_us=300"]
    assert cli.main(["validate", "--dry-run", *words]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert rows.keys() <= {
        *(
            "medium",
            "runs",
            "windows",
            "host_rounds",
            "host_windows",
            "minutes_about",
            "cases",
            "seeds",
            "seed",
            "warmup_windows",
        ),
        *("load", "goals", "engine", "profile", "host", "contexts", "latency_goal_us", "(--json:"),
        *("grid", "parameters", "store", "keys"),
    }
    assert (rows["grid"], rows["parameters"], rows["store"], rows["keys"]) == ("4,4 8,8", "dimms=2.0", "map", "500")
    assert rows["windows"] == "240 that count, after 48 that are discarded"


def test_a_dry_run_shows_the_plan(capsys):
    assert cli.main(["validate", "--dry-run", "--json", "--workload", "section-4.2"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["cases"], result["medium"]) == (42, "emulated")
    assert (result["windows"], result["windows_before"]) == (42 * 3 * 10, 42 * 3 * 2)
    assert cli.main(["validate", "--dry-run", "--json", "--transfer", "threshold", "--phases", "1", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["windows"] == 2 * 3 * (2 * (10 + 10) + 200)  # the policy, and the fixed pools
    assert result["search_windows"] > 0
    assert result["minutes_about"] > 0
    words = ["--grid", "8,8", "--phases", "1", "--seeds", "3", "--windows", "98"]
    assert cli.main(["validate", "--dry-run", "--json", *words]) == 0
    windows_s = 300 * 5000 / 287e3 * 23.6  # at the throughput that they show, slower by the emulated device's dilation
    assert json.loads(capsys.readouterr().out)["minutes_about"] == pytest.approx((windows_s + 3.0) / 60, rel=0.05)
    minutes = []
    for rounds in ("15", "150"):
        words = ["--store", "map", "--host", "measure", "--host-rounds", rounds, "--grid", "2,2"]
        assert cli.main(["validate", "--dry-run", "--json", *words]) == 0
        minutes.append(json.loads(capsys.readouterr().out)["minutes_about"])
    assert minutes[0] > 0 and minutes[1] - minutes[0] == pytest.approx(135 * ROUND_S / 60, rel=0.1)


def test_emulated_and_in_memory_stores():
    assert medium_of(NativeSettings()) == "emulated"
    assert medium_of(NativeSettings(store="map")) == "dram"


@pytest.mark.parametrize("option", ["--report", "--learnt", "--keep"])
def test_a_folder_that_cannot_be_made_is_blamed_on_its_own_option(tmp_path, option, capsys):
    (tmp_path / "file").write_text("the user's")
    assert cli.main(["validate", "--dry-run", option, str(tmp_path / "file")]) == 2
    assert f"validate: {option}" in capsys.readouterr().err


def test_a_folder_of_kept_runs_that_cannot_be_made_is_blamed_on_keep(native, tmp_path, capsys):
    (tmp_path / "file").write_text("the user's")
    assert cli.main(["validate", *QUICK, *MAP, "--keep", str(tmp_path / "file")]) == 2
    assert "--keep: " in capsys.readouterr().err


def test_the_limits_of_learning_are_part_of_the_record(capsys, tmp_path):
    random = np.random.default_rng(0)
    states = FeatureMap.fit(random.uniform(1, 32, (200, 8)), 2, LOG_COLUMNS)
    path = save_model(tmp_path / "q.npz", LinearQ(states, [ModelChoice()] * 9), {})
    given = ["--learn", f"{path}@6,5", "--learn-bounds", "3,2:8,9", "--learn-step", "2", "--resume-after", "7"]
    size = ["--phases", "1", "--steps", "4", "--seeds", "1", "--store", "map"]
    assert cli.main(["validate", *given, *size, "--dry-run", "--json"]) == 0
    ((spec, limits),) = json.loads(capsys.readouterr().out)["learning"].items()
    assert spec == f"online-q:{path}@6,5,bounds=3,2:8,9,step=2,resume-after=7"
    assert limits == {
        "fall_back": [6, 5], "bounds": [[3, 2], [8, 9]], "step": 2, "fall_back_after": 20, "resume_after": 7
    }  # fmt: skip


@pytest.mark.parametrize(("store", "threads", "count"), [("map", 2.0, 1), ("map", 16.0, 0), ("emulated", 2.0, 0)])
def test_few_processors_are_named_where_their_scheduler_counts(store, threads, count, monkeypatch):
    monkeypatch.setattr("pmtwin.scenarios.nvm_middleware.validation.measured.usable_threads", lambda: threads)
    side = MeasuredMiddleware.of(NvmMiddleware, {"twin.native.store": store}, HostOptions(host="assumed"))
    assert len([warning for warning in side.warnings if "2 hardware threads" in warning]) == count
