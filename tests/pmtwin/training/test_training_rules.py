"""`pmtwin train --rules`: episodes keep to the rules, whatever plays them, and rules that do not fit are refused."""

import json

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.policies import Policy, PolicyContext
from pmtwin.policies.action_rules import ActionRules
from pmtwin.policies.training.cross_entropy import scores_between_windows
from pmtwin.policies.training.drawn_episodes import Practice, play
from pmtwin.policies.training.progress import quiet
from pmtwin.policies.training.search_options import SearchTraining
from pmtwin.scenarios import load_scenario
from pmtwin.sim.errors import InputError
from pmtwin.training.task import task_of

RULES = "[range]\ninteractive_threads = [6, 16]\n[[forbidden]]\ninteractive_threads = [9, 10]\nbatch_threads = [1, 4]\n"
WINDOW = ["--requests-per-window", "20"]
DQN = ["--policy", "dqn", "--training-windows", "100", "--units", "4", "--evaluations", "1"]


@pytest.fixture
def task(tmp_path):
    """Policy -> its task behind the rules."""

    def make(policy):
        scenario, file = load_scenario("nvm-middleware").of(requests_per_window=20), tmp_path / "rules.toml"
        file.write_text(RULES)
        return task_of(scenario, policy, 0, ActionRules.read(file, scenario.settings))

    return make


def keeps(settings):
    interactive, batch = np.reshape(settings, (-1, 2)).T
    return ((interactive >= 6) & (interactive <= 16) & ~(np.isin(interactive, (9, 10)) & (batch <= 4))).all()


def test_windows_of_random_settings_keep_to_the_rules_and_are_noted_as_they_were(task):
    practice = Practice.of(task("afterstate"))
    seeds = [np.random.SeedSequence(k) for k in range(8)]
    played = play(practice, None, seeds, 20, 1, quiet, "")
    assert keeps(played.settings) and len(np.unique(played.settings.reshape(-1, 2), axis=0)) > 5
    columns = [column.name for column in practice.context.columns]
    seen = played.windows[:, :, [columns.index(name) for name in ("interactive_threads", "batch_threads")]]
    assert np.array_equal(seen[:, 1:], played.settings)


class Widens(Policy):
    """Wants ever more threads; keeps what was applied."""

    def start(self, context):
        self.applied = []

    def act(self, observation, info=None):
        return (32, 8)

    def observe(self, observation, action, reward, next_observation, done):
        self.applied.append(action)


def test_a_policy_that_learns_while_it_runs_is_told_what_was_applied(task):
    made, policy = task("linucb"), Widens()
    made.play(policy, PolicyContext.of(made.scenario, seed=0), 1, 3, 0)
    assert 32 not in {setting for action in policy.applied for setting in np.atleast_1d(action)}
    assert len(policy.applied) == 3


def test_candidates_of_a_search_stand_behind_the_rules(task):
    small = SearchTraining(generation_episodes=1, candidate_windows=4)
    with pytest.raises(InputError, match="start: '20,8' is outside the range"):
        scores_between_windows(task("threshold"), ["fixed:20,8"], small, 0, 1, quiet, "")
    scores, _ = scores_between_windows(task("threshold"), ["fixed:8,8", "random"], small, 0, 1, quiet, "")
    assert scores.shape == (2,)


def test_the_record_has_the_rules_and_a_checkpoint_of_others_is_refused(tmp_path, capsys):
    rules, file = tmp_path / "rules.toml", tmp_path / "p.npz"
    rules.write_text(RULES)
    words = ["train", "nvm-middleware", *DQN, *WINDOW, "--rules", str(rules), "-o", str(file), "--jobs", "1"]
    assert main([*words, "--keep-checkpoint"]) == 0
    assert f" --rules {rules} --policies trained:{file} " in capsys.readouterr().out.splitlines()[-1]
    record = json.loads(file.with_name("p.record.json").read_text())
    assert record["origin"]["rules"]["range"]["interactive_threads"] == [6, 16]
    assert record["configuration"]["arguments"]["rules"] == str(rules)
    rules.write_text(RULES.replace("16]", "20]"))
    capsys.readouterr()
    assert main(words) == 2
    assert "differs in origin.rules" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "rules", "said"),
    [
        (["train"], "[range]\ninteractive_threads = [20, 30]\n", "start: '15,15' is outside the range"),
        (["train"], "[steps_per_minute]\nbatch_threads = 1\n", "no limit of steps in nvm-middleware"),
        (["train"], "[range]\nthreads = 3\n", "range: parameter: 'threads' is not"),
        (["simulate", "--pools", "20,8"], RULES, "--pools: '20,8' is outside the range"),
        (["simulate", "--pools", "9,4"], RULES, "--pools: '9,4' is forbidden"),
        (["simulate", "--pools", "none"], RULES, "--rules"),
        (["simulate"], "[steps_per_minute]\nbatch_threads = 1\n", "no limit of steps in nvm-middleware"),
    ],
)
def test_rules_that_do_not_fit_are_one_line_and_leave_nothing(words, rules, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.toml").write_text(rules)
    command, *more = words
    more += [*DQN, "-o", "p.npz"] if command == "train" else []
    assert main([command, "nvm-middleware", *WINDOW, *more, "--rules", "rules.toml"]) == 2
    out, err = capsys.readouterr()
    assert said in err and err.count("\n") == 1 and not out
    assert [path.name for path in tmp_path.iterdir()] == ["rules.toml"]


def test_a_setting_within_the_rules_is_simulated(tmp_path, capsys):
    (tmp_path / "rules.toml").write_text(RULES)
    words = ["simulate", "nvm-middleware", *WINDOW, "--pools", "9,5", "--windows", "2", "--json"]
    results = []
    for rules in ([], ["--rules", str(tmp_path / "rules.toml")]):
        assert main([*words, *rules]) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert results[0]["reward"] == results[1]["reward"]
    assert results[1]["configuration"]["arguments"]["rules"] == str(tmp_path / "rules.toml")
