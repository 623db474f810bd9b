"""`pmtwin sweep`: every combination is trained once, the same bits on any number of processes, and resumed."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from pmtwin import cli
from pmtwin.sim.host.file import document
from pmtwin.sweep.curves import curve_rows
from pmtwin.sweep.duration import wall_seconds

PLAN = """
scenario = "nvm-middleware"
requests_per_window = 20
campaign = 0.001
episodes = [3]
dataset_episodes = 2
[vary]
seed = [0, 1]
gamma = [0.9]
"""


def sweep(*arguments):
    return cli.main(["sweep", *map(str, arguments)])


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep of two runs on one process: the plan's file, and the folder."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "plan.toml").write_text(PLAN)
    assert sweep(folder / "plan.toml", "-o", folder / "runs", "--jobs", "1") == 0
    return folder / "plan.toml", folder / "runs"


def test_each_combination_has_a_folder_and_a_row(swept):
    rows = json.loads((swept[1] / "summary.json").read_text())["runs"]
    assert [(row["run"], row["seed"], row["gamma"]) for row in rows] == [
        ("seed-0_gamma-0", 0, 0.9),
        ("seed-1_gamma-0", 1, 0.9),
    ]
    assert rows[0]["policy_sha256"] != rows[1]["policy_sha256"]
    with open(swept[1] / "summary.csv") as file:
        assert [row["policy_sha256"] for row in csv.DictReader(file)] == [row["policy_sha256"] for row in rows]
    assert (swept[1] / "seed-1_gamma-0" / "policy.curves.csv").exists()


def test_what_is_lost_is_trained_again_to_the_same_bits_and_nothing_else(swept):
    plan, runs = swept
    before = {path: path.read_bytes() for path in runs.rglob("*.npz")}
    kept, lost = (runs / f"seed-{seed}_gamma-0" for seed in (0, 1))
    written = (kept / "policy.npz").stat().st_mtime_ns
    shutil.rmtree(lost)
    assert sweep(plan, "-o", runs, "--jobs", "2") == 0
    assert {path: path.read_bytes() for path in runs.rglob("*.npz")} == before
    assert (kept / "policy.npz").stat().st_mtime_ns == written


def test_a_run_is_repeated_from_its_own_folder(swept, tmp_path):
    run = swept[1] / "seed-1_gamma-0"
    assert cli.main(["train", "--config", str(run / "arguments.json"), "-o", str(tmp_path / "again.npz")]) == 0
    assert (tmp_path / "again.npz").read_bytes() == (run / "policy.npz").read_bytes()


def test_a_dry_run_lists_the_runs_and_writes_nothing(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(PLAN)
    words = [tmp_path / "plan.toml", "-o", tmp_path / "runs", "--dry-run"]
    assert sweep(*words, "--json") == 0
    planned = json.loads(capsys.readouterr().out)
    assert [row["run"] for row in planned["runs"]] == ["seed-0_gamma-0", "seed-1_gamma-0"]
    assert planned["about_seconds"] > 0.0
    assert sweep(*words) == 0
    out, err = capsys.readouterr()
    assert "at the machine's present load" in out.splitlines()[-1] and not err
    assert not (tmp_path / "runs").exists()


def test_the_plan_of_the_page_is_accepted(tmp_path, capsys, monkeypatch):
    """But for its duration, which a trial would tell; the reader's own host is an empty one."""
    page = Path(__file__).resolve().parents[2] / "docs" / "sweeps.md"
    (plan,) = re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pmtwin.sweep.duration.seconds_of_all", lambda *_: 1.0)
    Path("plan.toml").write_text(plan)
    Path("my-host.json").write_text(json.dumps(document({}, {}, {})))
    assert sweep("plan.toml", "-o", "runs", "--dry-run", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 12


def test_what_is_trained_takes_no_time_any_more(swept, capsys):
    assert sweep(swept[0], "-o", swept[1], "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["about_seconds"] == 0.0


@pytest.mark.parametrize(("workers", "seconds"), [(1, 9.0), (2, 6.0), (5, 5.0)])
def test_runs_share_the_workers(workers, seconds):
    assert wall_seconds([1.0, 1.0, 5.0, 2.0], workers) == seconds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('scenario = "nvm-middleware"', ["vary", "a table of lists"]),
        ("[vary]\nseed = 3", ["vary.seed", "3", "a list"]),
        ("[vary]\nseed = []", ["vary.seed", "a list of at least one value"]),
        ("seed = 1\n[vary]\nseed = [0, 1]", ["seed", "a list in [vary], not both"]),
        ("jobs = 2\n[vary]\nseed = [0, 1]", ["jobs 2 is set by the sweep"]),
        (
            "scenario = 'nvm-middleware'\n[vary]\nspeed = [0]",
            ["speed-0", "speed", "an option (pmtwin train "],
        ),
        ("scenario = 'nvm-middleware'\n[vary]\ngamma = [0.9, 2.0]", ["gamma-1", "gamma", "2.0"]),
        ("scenario = 'nvm-middleware'\n[vary]\ncontexts = ['phases', 'none-such']", ["contexts-1", "contended"]),
        ("scenario = 'nvm-middleware'\n[vary]\ncontext_set = ['phases']", ["context_set", "allowed: contexts"]),
        ("[vary]\nseed = [0]", ["scenario", "list scenarios"]),
        ("[vary", ["plan.toml", "TOML"]),
    ],
)
@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_a_bad_plan_is_refused_before_any_run(tmp_path, capsys, text, words, dry):
    (tmp_path / "plan.toml").write_text(text)
    assert sweep(tmp_path / "plan.toml", "-o", tmp_path / "runs", *dry) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert [word for word in words if word not in error] == []
    assert not (tmp_path / "runs").exists()


def test_contexts_vary_by_the_name_of_the_command_line(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.replace("gamma = [0.9]", "contexts = ['contended']").replace(", 1]", "]"))
    assert sweep(tmp_path / "plan.toml", "-o", tmp_path / "runs", "--dry-run") == 0
    assert sweep(tmp_path / "plan.toml", "-o", tmp_path / "runs", "--jobs", "1") == 0
    (row,) = json.loads((tmp_path / "runs" / "summary.json").read_text())["runs"]
    assert (row["run"], row["contexts"]) == ("seed-0_contexts-0", "contended")


def test_another_plan_does_not_mix_into_a_folder(swept, tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(PLAN.replace("campaign = 0.001", "campaign = 0.002"))
    assert sweep(tmp_path / "plan.toml", "-o", swept[1]) == 2
    assert "the folder of the same plan" in capsys.readouterr().err


def test_learning_curves_have_the_mean_of_the_seeds_and_an_interval(swept):
    with open(swept[1] / "curves.csv") as file:
        rows = list(csv.DictReader(file))
    records = [json.loads((swept[1] / f"seed-{seed}_gamma-0" / "policy.record.json").read_text()) for seed in (0, 1)]
    assert [row["training"] for row in rows] == ["gamma 0.9"] * len(records[0]["trials"])
    for row, trials in zip(rows, zip(*(record["trials"] for record in records), strict=True), strict=True):
        assert (row["stage"], row["runs"], int(row["number"])) == ("episode", "2", trials[0]["after_episode"])
        shares = [sum(each["share_meeting_goals"].values()) / 4 for each in trials]
        assert float(row["mean"]) == pytest.approx(sum(shares) / 2)
        assert 0.0 <= float(row["low"]) <= float(row["mean"]) <= float(row["high"]) <= 1.0
    assert (swept[1] / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert (swept[1] / "curves.svg").read_bytes().startswith(b"<?xml")


def test_curves_of_rounds_and_of_one_run_have_no_band_where_there_is_one_seed():
    record = {"attainment": {"round_1": 0.1, "round_2": 0.4, "as_found": 0.5}}
    assert curve_rows([({"rounds": 2}, record)]) == [
        ("rounds 2", "round", 1, 1, 0.1, None, None),
        ("rounds 2", "round", 2, 1, 0.4, None, None),
    ]


def test_a_sweep_without_trials_has_a_summary_and_no_curves(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.replace("[vary]", "trials = 0\n[vary]").replace("[0, 1]", "[0]"))
    assert sweep(tmp_path / "plan.toml", "-o", tmp_path / "runs", "--jobs", "1") == 0
    assert (tmp_path / "runs" / "summary.csv").exists()
    assert not (tmp_path / "runs" / "curves.csv").exists()
