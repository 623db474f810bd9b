"""Trainings under drawn conditions: the same bytes on any number of workers and after a stop; what it refuses."""

import json
import re

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.policies import PolicyContext, make_policy, policy_class
from pmtwin.policies.training.cross_entropy import options_at
from pmtwin.scenarios import load_scenario, make_environment
from pmtwin.sim.errors import InputError

TINY = ["--policy", "afterstate", "--rounds", "2", "--round-episodes", "6", "--episode-windows", "8"]


def train(*arguments):
    window = ["--requests-per-window", "20"]
    return cli.main(["train", "nvm-middleware", *TINY, *window, *map(str, arguments)])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("afterstate")
    assert train("-o", folder / "a.npz", "--jobs", 1) == 0
    return folder / "a.npz"


def test_it_says_which_policy_was_trained(tmp_path, capsys):
    assert train("-o", tmp_path / "a.npz") == 0
    assert re.match(r"policy +afterstate\ntrained policy +\S+a\.npz\n", capsys.readouterr().out)


def test_it_leaves_the_policy_and_its_record(trained):
    assert sorted(path.name for path in trained.parent.iterdir()) == ["a.npz", "a.record.json"]
    record = json.loads(trained.with_name("a.record.json").read_text())
    assert len(record["attainment"]) == record["plan"]["rounds"] == 2
    assert record["plan"]["windows"] == 96


def test_two_workers_and_a_stop_between_rounds_give_the_same_bytes(trained, tmp_path):
    """The checkpoint of a finished run is cut back to its first round: what a kill in the second would leave."""
    assert train("-o", tmp_path / "a.npz", "--jobs", 2, "--keep-checkpoint") == 0
    assert (tmp_path / "a.npz").read_bytes() == trained.read_bytes()
    (tmp_path / "a.npz.checkpoint" / "round-2.npz").unlink()
    (tmp_path / "a.npz").unlink()
    assert train("-o", tmp_path / "a.npz", "--jobs", 1) == 0
    assert (tmp_path / "a.npz").read_bytes() == trained.read_bytes()


def test_it_jumps_to_settings_of_the_scenario_by_its_own_name_and_as_any_trained_file(trained):
    env, scenario = make_environment("nvm-middleware", requests_per_window=20), load_scenario("nvm-middleware")()
    chosen = {}
    for name in ("afterstate", "trained"):
        policy = make_policy(f"{name}:{trained}")
        policy.start(PolicyContext.of(scenario))
        observation, info = env.reset(seed=1)
        chosen[name] = []
        for _ in range(5):
            chosen[name].append(policy.act(observation, info))
            observation, _, _, _, info = env.step(chosen[name][-1])
    assert chosen["afterstate"] == chosen["trained"]
    assert all(scenario.settings.contains(setting) for setting in chosen["trained"])


def test_the_value_of_all_settings_is_that_of_the_network_on_each(trained):
    value = make_policy(f"afterstate:{trained}").value
    random = np.random.default_rng(0)
    windows, settings = random.uniform(1.0, 500.0, (2, value.inputs.window_size)), np.array([[1, 2], [9, 8], [32, 32]])
    alone = [value.network.values(np.concatenate([windows.ravel(), setting]))[0] for setting in settings]
    assert np.allclose(value.values(windows, settings), alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gamma", 0.5), "--gamma 0.5 belongs to --policy q-learning; remove one of the two"),
        (("--campaign", 0.1), "--campaign 0.1 belongs to --policy q-learning; remove one of the two"),
        (("--set", "population=24"), "--set population 24 belongs to --policy threshold; remove one of the two"),
        (("--rounds", 0), "--rounds: 0 is not accepted"),
    ],
)
def test_what_would_do_nothing_is_refused(tmp_path, capsys, arguments, message):
    assert train("-o", tmp_path / "a.npz", *arguments) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_form_is_no_trained_policy(tmp_path):
    header = np.array(json.dumps({"format": "other", "schema": 1}))
    np.savez(tmp_path / "x.npz", header=header)
    with pytest.raises(InputError, match="this one is of the form other"):
        make_policy(f"trained:{tmp_path / 'x.npz'}")


SEARCH = ["--policy", "threshold", "--generations", "2", "--population", "4", "--generation-episodes", "2"]


def searched(*arguments):
    short = ["--candidate-windows", "8", "--requests-per-window", "20"]
    return cli.main(["train", "nvm-middleware", *SEARCH, *short, *map(str, arguments)])


def test_a_search_finds_the_same_parameters_on_two_workers_and_after_a_stop(tmp_path):
    assert searched("-o", tmp_path / "one.npz", "--jobs", 1) == 0
    assert searched("-o", tmp_path / "two.npz", "--jobs", 2, "--keep-checkpoint") == 0
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    (tmp_path / "two.npz.checkpoint" / "generation-2.npz").unlink()
    (tmp_path / "two.npz").unlink()
    assert searched("-o", tmp_path / "two.npz", "--jobs", 1) == 0
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    policy = make_policy(f"trained:{tmp_path / 'one.npz'}")
    assert policy.start(PolicyContext.of(load_scenario("nvm-middleware")())) is None
    record = json.loads((tmp_path / "one.record.json").read_text())
    assert {"generation_2", "as_by_default", "as_found"} <= set(record["attainment"])


def test_the_ends_of_the_cube_are_the_ends_of_the_ranges():
    cls = policy_class("threshold")
    for end in (0, 1):
        options = options_at(cls, [end] * len(cls.searched))
        assert {name: getattr(options, name) for name in cls.searched} == {
            name: pytest.approx(ends[end]) for name, ends in cls.searched.items()
        }


@pytest.mark.parametrize("name", ["random", "my_policies.py:Lucky"])
def test_a_tuned_file_names_a_policy_and_options_that_pmtwin_has(tmp_path, name):
    """`random` takes no such option; what a user's file names would be run by being read."""
    header = {"format": "pmtwin-tuned", "schema": 1, "policy": name, "options": {"progress": 0.5}}
    np.savez(tmp_path / "x.npz", header=np.array(json.dumps(header)))
    with pytest.raises(InputError):
        make_policy(f"trained:{tmp_path / 'x.npz'}")


@pytest.mark.parametrize(
    ("words", "policy"),
    [
        ((), "afterstate"),
        (("--campaign", "1"), "q-learning"),
        (("--campaign", "0.1"), "q-learning"),  # as by default
        (("--set", "gamma=0.95"), "q-learning"),
        (("--population", "8"), "threshold"),
        (("--generations", "5"), "threshold"),
    ],
)
def test_the_recommended_policy_is_trained_unless_options_mean_another(tmp_path, capsys, words, policy):
    run = ["train", "nvm-middleware", *words, "-o", str(tmp_path / "p.npz"), "--dry-run", "--json"]
    assert cli.main(run) == 0
    assert json.loads(capsys.readouterr().out)["policy"] == policy


def test_a_sweep_that_would_train_several_policies_unasked_is_refused(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text('[vary]\nscenario = ["nvm-middleware", "two-tier"]\n')
    assert cli.main(["sweep", str(tmp_path / "plan.toml"), "-o", str(tmp_path / "runs")]) == 2
    assert "afterstate and q-learning" in capsys.readouterr().err


def test_a_default_in_the_list_of_a_sweep_means_the_training_that_the_other_values_mean(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text('scenario = "nvm-middleware"\n[vary]\ngamma = [0.95, 0.5]\n')
    assert cli.main(["sweep", str(tmp_path / "plan.toml"), "-o", str(tmp_path / "runs"), "--dry-run"]) == 0
    assert "gamma-1" in capsys.readouterr().out


def test_a_record_with_the_defaults_of_all_trainings_is_repeated(tmp_path, capsys):
    """As they were written while every record had the options of every training."""
    arguments = {"command": "train", "scenario": "nvm-middleware", "policy": "afterstate"}
    arguments |= {"training": {"campaign": 0.1}, "afterstate": {"rounds": 5}, "search": {"generations": 5}}
    (tmp_path / "old.json").write_text(json.dumps({"configuration": {"arguments": arguments}}))
    run = ["train", "--config", str(tmp_path / "old.json"), "-o", str(tmp_path / "p.npz"), "--dry-run"]
    assert cli.main(run) == 0
    assert cli.main([*run, "--campaign", "0.1"]) == 2
    assert "--campaign 0.1 belongs to --policy q-learning" in capsys.readouterr().err
