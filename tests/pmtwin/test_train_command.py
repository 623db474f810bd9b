"""`pmtwin train`: what it leaves, that a killed run ends with the same bytes, and what is refused before any work."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.console.output import flatten
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios import load_scenario

TINY = [
    "--requests-per-window",
    "20",
    "--episodes",
    "3",
    "--dataset-episodes",
    "2",
    "--campaign",
    "0.001",
    "--jobs",
    "1",
]


def train(*arguments):
    return cli.main(["train", "nvm-middleware", *TINY, *map(str, arguments)])


def contents(path):
    """What the file holds, entry by entry: a difference in bytes alone would not say where."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name].tolist() for name in file.files}
    return {**arrays, **dict(flatten(json.loads(arrays.pop("header"))))}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A policy trained for a moment, and its folder."""
    folder = tmp_path_factory.mktemp("trained")
    assert train("-o", folder / "q.npz") == 0
    return folder / "q.npz"


@pytest.fixture(scope="module")
def three_actors(tmp_path_factory):
    """The bytes that three actors train, on one process and without a stop."""
    output = tmp_path_factory.mktemp("actors") / "q.npz"
    assert train("-o", output, "--actors", 3) == 0
    return output.read_bytes()


def test_it_leaves_the_policy_and_its_record_and_nothing_else(trained):
    assert sorted(path.name for path in trained.parent.iterdir()) == ["q.curves.csv", "q.npz", "q.record.json"]
    policy = make_policy(f"q-learning:{trained}")
    assert policy.start(PolicyContext.of(load_scenario("nvm-middleware")())) is None
    assert policy.origin["profile"] == "optane-dcpmm-100"
    assert (policy.origin["seed"], policy.origin["plan"]["episode_steps"]) == (0, 200)


def test_the_record_says_what_was_run(trained):
    record = json.loads(trained.with_name("q.record.json").read_text())
    assert record["origin"]["environment"]["twin"]["requests_per_window"] == 20
    assert record["tables"]["D.3"]["episodes"] == {"1": 3, "2": 3, "3": 3, "4": 3}
    assert len(record["tables"]["D.2"]) == 9
    assert [len(pools) for pools in record["learned_pools"].values()] == [3, 3, 3, 3]
    assert len(record["episodes"]["reward_sum"]) == 12
    assert "numba" in record["versions"]


def test_the_learning_curves_are_a_table_too(trained):
    lines = trained.with_name("q.curves.csv").read_text().splitlines()
    assert lines[0].startswith("after_episode,phase,epsilon,reward_sum,share_meeting_goals,")
    assert len(lines) == 1 + 1 + 12


def test_a_file_in_the_place_of_the_curves_stays(tmp_path, capsys):
    (tmp_path / "q.curves.csv").write_text("mine")
    assert train("-o", tmp_path / "q.npz") == 2
    assert "the learning curves of an earlier training" in capsys.readouterr().err
    assert (tmp_path / "q.curves.csv").read_text() == "mine"


def test_actors_give_the_same_bytes_on_any_number_of_processes(trained, three_actors, tmp_path):
    assert train("-o", tmp_path / "two.npz", "--actors", 3, "--jobs", 2) == 0
    assert three_actors == (tmp_path / "two.npz").read_bytes() != trained.read_bytes()


def test_without_dask_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    arguments = ["--backend", "dask", "--scheduler", "tcp://localhost:1"]
    assert train("-o", tmp_path / "q.npz", *arguments) == 3
    error = capsys.readouterr().err
    assert "pip install 'pmtwin[cluster]'" in error
    assert len(error.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_gives_the_same_bytes(three_actors, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        there = ["--actors", 3, "--backend", "dask", "--scheduler", cluster.scheduler_address]
        assert train("-o", tmp_path / "there.npz", *there) == 0
    assert (tmp_path / "there.npz").read_bytes() == three_actors


def test_a_run_is_repeated_from_its_own_record(trained, tmp_path):
    record = trained.with_name("q.record.json")
    assert cli.main(["train", "--config", str(record), "-o", str(tmp_path / "q.npz")]) == 0
    assert (tmp_path / "q.npz").read_bytes() == trained.read_bytes()
    assert json.loads(record.read_text())["configuration"]["arguments"]["training"]["episodes"] == [3]


def test_json_the_same_bytes_again_and_a_checkpoint_that_another_run_refuses(trained, tmp_path, capsys):
    assert train("-o", tmp_path / "again.npz", "--json", "--keep-checkpoint") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["learned_pools"].keys() == {"1", "2", "3", "4"}
    assert summary["steps"]["online"] == 12 * 200
    assert (tmp_path / "again.npz").read_bytes() == trained.read_bytes()
    assert (tmp_path / "again.npz.checkpoint" / "online.npz").exists()

    assert train("-o", tmp_path / "again.npz", "--seed", 5) == 2
    assert "differs in origin.seed, plan.seed" in capsys.readouterr().err


def test_another_seed_is_another_policy(trained, tmp_path):
    assert train("-o", tmp_path / "other.npz", "--seed", 1) == 0
    assert (tmp_path / "other.npz").read_bytes() != trained.read_bytes()


def test_training_over_plausible_devices_gives_the_same_bytes_on_any_number_of_processes(trained, tmp_path):
    """Domain randomisation: each episode's device follows from the seed of its reset."""
    for name, jobs in (("one", 1), ("two", 2)):
        assert train("-o", tmp_path / f"{name}.npz", "--device-samples", 3, "--device-spread", 5, "--jobs", jobs) == 0
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes() != trained.read_bytes()
    twin = make_policy(f"q-learning:{tmp_path / 'one.npz'}").origin["environment"]["twin"]
    assert (twin["device_samples"], twin["device_spread"]) == (3, 5.0)


def test_a_killed_command_goes_on_to_the_same_bytes(trained, tmp_path):
    command = [sys.executable, "-m", "pmtwin.cli", "train", "nvm-middleware", *TINY, "-o", str(tmp_path / "q.npz")]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    folder = tmp_path / "q.npz.checkpoint"
    while running.poll() is None and not (folder / "dataset.npz").exists():
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    assert not (tmp_path / "q.npz").exists()
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert "dataset" in json.loads(done.stdout)["resumed"]
    resumed, whole = contents(tmp_path / "q.npz"), contents(trained)
    assert {name: value for name, value in resumed.items() if value != whole.get(name)} == {}
    assert (tmp_path / "q.npz").read_bytes() == trained.read_bytes()
    assert not folder.exists()


def test_several_actors_killed_between_rounds_go_on_to_the_same_bytes(three_actors, tmp_path):
    """On two processes, which the kill leaves behind; the other run has one process and is not stopped."""
    actors = ["--actors", "3", "--jobs", "2"]
    output = tmp_path / "q.npz"
    command = [sys.executable, "-m", "pmtwin.cli", "train", "nvm-middleware", *TINY, *actors, "-o", str(output)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    online = tmp_path / "q.npz.checkpoint" / "online.npz"
    while running.poll() is None and not online.exists():
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert "online" in json.loads(done.stdout)["resumed"]
    assert output.read_bytes() == three_actors


def test_an_interrupt_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pmtwin.policies.training.train", interrupted)
    assert train("-o", tmp_path / "q.npz") == 130
    assert f"the same command goes on from {tmp_path / 'q.npz.checkpoint'}" in capsys.readouterr().err


def test_a_dry_run_shows_the_campaign_of_the_thesis_and_leaves_nothing(tmp_path, capsys):
    output = tmp_path / "q.npz"
    assert cli.main(["train", "nvm-middleware", "-o", str(output), "--campaign", "1", "--dry-run", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["steps"]["online"] == 3400 * 200
    assert shown["plan"]["q"]["gamma"] == 0.95
    assert shown["about_seconds"] > 10.0
    assert cli.main(["train", "nvm-middleware", "-o", str(output), "--campaign", "1", "--dry-run"]) == 0
    assert "at the machine's present load" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "q-lerning"], "did you mean 'q-learning'"),
        (["--policy", "fixed"], "a policy that can be trained: afterstate, "),
        (["--campaign", "0"], "campaign"),
        (["--campaign", "nan"], "campaign"),
        (["--episodes", "3,4"], "4 separated by commas"),
        (["--episodes", "0"], "--episodes"),
        (["--dataset-episodes", "0"], "--dataset-episodes"),
        (["--order", "in-turns"], "did you mean 'in-turn'"),
        (["--target", "rewards"], "did you mean 'reward'"),
        (["--gamma", "1"], "gamma"),
        (["--learning-rate", "nan"], "--learning-rate"),
        (["--epsilon", "1.1"], "epsilon"),
        (["--seed", "-1"], "seed"),
        (["--jobs", "0"], "--jobs"),
        (["--actors", "0"], "--actors: 0 is not accepted; allowed: 1 to 1024"),
        (["--selection", "gird"], "did you mean 'grid'"),
        (["--backend", "dusk"], "did you mean 'dask'"),
        (["--backend", "dask"], "--scheduler is missing: an address"),
        (["--scheduler", "tcp://localhost:8786"], "--scheduler"),
        (["--engine", "compild"], "did you mean 'compiled'"),
        (["--profile", "absent"], "absent"),
        (["--set", "coers=3"], "cores"),
        (["--requests-per-window", "0"], "--requests-per-window"),
        (["--checkpoint-dir", "absent/deeper/still"], "--checkpoint-dir"),
        (["-o", "absent/q.npz"], "--output"),
        (["-o", "."], "--output"),
    ],
)
def test_what_is_refused_leaves_nothing(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pmtwin.policies.training.train", lambda *_: pytest.fail("began to work"))
    assert train("-o", "q.npz", *arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_scenario_is_refused(capsys):
    assert cli.main(["train", "nvm-midleware", "-o", "q.npz"]) == 2
    assert "did you mean 'nvm-middleware'" in capsys.readouterr().err
