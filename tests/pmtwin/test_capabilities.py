"""Every command on a scenario without settings and goals works, or says in one line what the scenario lacks."""

import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.scenarios import load_scenario, make_environment, make_vector_environment
from pmtwin.sim.errors import InputError

FILE = Path(__file__).parents[1] / "scenarios" / "placement.py"
NUMBERED, AUTOMATIC = (f"{FILE}:{name}" for name in ("placement", "automatic"))
EVALUATION = ("--steps", "8", "--load-steps", "4", "--jobs", "1")


@pytest.fixture(params=[NUMBERED, AUTOMATIC], ids=["numbered", "automatic"])
def spec(request):
    """A scenario of the core alone: with numbered actions, or with none."""
    return request.param


@pytest.fixture
def refused(capsys):
    """Runs a command that is refused: its one line of standard error."""

    def line(*words) -> str:
        assert main([str(word) for word in words]) == 2
        shown = capsys.readouterr()
        assert shown.out == "" and shown.err.count("\n") == 1
        return shown.err

    return line


@pytest.mark.parametrize(
    "words",
    [
        "list scenarios SPEC",
        "simulate SPEC --windows 3",
        "evaluate SPEC --policies random --dry-run",
        "evaluate SPEC --policies random --steps 8 --load-steps 4 --seeds 3 --jobs 1 --details",
        "evaluate SPEC --policies random --steps 8 --load-steps 4 --seeds 12 --jobs 1",
        "figures SPEC --dry-run -o OUT",
        "run SPEC --dry-run -o OUT",
    ],
)
def test_a_command_that_needs_neither_settings_nor_goals_runs(spec, words, tmp_path, capsys):
    assert main([{"SPEC": spec, "OUT": str(tmp_path)}.get(word, word) for word in words.split()]) == 0
    text = capsys.readouterr().out
    assert "attainment" not in text and "goals" not in text and "nan" not in text


def test_q_learning_is_trained_by_rewards_alone(tmp_path, capsys):
    """Nothing is recorded of settings, which there are none."""
    small = ("--episodes", "2", "--dataset-episodes", "2", "--campaign", "0.001", "--jobs", "1")
    assert main(["train", NUMBERED, "-o", str(tmp_path / "q.npz"), *small]) == 0
    shown = capsys.readouterr().out
    assert "learned" not in shown and "goals" not in shown
    record = json.loads((tmp_path / "q.record.json").read_text())
    assert not [name for name in record if name.startswith("learned")]
    evaluated = ["evaluate", NUMBERED, "--policies", f"trained:{tmp_path / 'q.npz'}", "--seeds", "1", *EVALUATION]
    assert main(evaluated) == 0


def test_q_learning_has_nothing_to_choose_where_nothing_is_decided_between_windows(refused, tmp_path):
    for more in ((), ("--dry-run",)):
        said = refused("train", AUTOMATIC, "-o", tmp_path / "q.npz", *more)
        assert "two or more actions between windows, among which the policy chooses; this one has 1" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        ("recommend SPEC", "settings, which recommend searches"),
        ("validate SPEC", "real system, which validate measures"),
        ("infer SPEC", "priors of its parameters, which infer updates"),
        ("plan SPEC", "cost, which plan minimises"),
        ("export fixed:3 --scenario SPEC -o OUT", "middleware in C++, which reads the file of an exported policy"),
        ("evaluate SPEC --policies random best-fixed", "settings, which policy best-fixed searches"),
        ("evaluate SPEC --policies best-constant", "settings, which policy best-constant searches"),
        ("evaluate SPEC --policies clairvoyant:steps=true", "settings, which policy clairvoyant:steps=true searches"),
        ("evaluate SPEC --policies prophet", "settings, which policy prophet searches"),
    ],
)
def test_a_command_says_in_one_line_what_the_scenario_lacks(spec, words, lacks, more, tmp_path, refused):
    command, *others = words.split()
    takes_dry_run = command in ("validate", "infer", "evaluate")
    others = [{"SPEC": spec, "OUT": str(tmp_path / "policy.json")}.get(word, word) for word in others]
    name = spec.rpartition(":")[2]
    assert refused(command, *others, *(more if takes_dry_run else ())).startswith(
        f"pmtwin {command}: scenario {name} has no {lacks}"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("option", "lacks"), [(("--setting", "3"), "settings"), (("--goal", "response_us=3"), "goals")]
)
def test_an_option_about_what_the_scenario_lacks_has_no_use(spec, option, lacks, refused, capsys):
    line = refused("simulate", spec, *option)
    assert f"{' '.join(option)} has no use: scenario {spec.rpartition(':')[2]} has no {lacks}; remove it" in line
    with pytest.raises(SystemExit):
        main(["simulate", spec, "--help"])
    assert f"has no {lacks}" in " ".join(capsys.readouterr().out.split())


def test_a_policy_that_needs_settings_is_refused_before_work_with_dry_run_too(spec, refused):
    for more in ((), ("--dry-run",)):
        assert "'fixed:3' is not accepted" in refused("evaluate", spec, "--policies", "random", "fixed:3", *more)


@pytest.mark.parametrize("policy", ["threshold", "predictive"])
@pytest.mark.parametrize(
    ("scenario", "needs"), [(NUMBERED, "jumps to settings"), ("numa-threads", "keeps goals")], ids=["numbered", "numa"]
)
def test_a_policy_that_a_scenario_cannot_serve_is_named_in_the_error(policy, scenario, needs, refused):
    name = scenario.rpartition(":")[2]
    line = refused("evaluate", scenario, "--policies", policy, "--dry-run")
    wrong = f"policy: '{policy}' {needs}, of which {name} has none"
    assert f"{wrong}; allowed: in a scenario with {needs.split()[-1]}" in line


def test_policies_are_ranked_by_reward_where_there_are_no_goals(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from pmtwin.policies import Policy\n\n\nclass Fast(Policy):\n    '''Writes to the fast device.'''\n\n"
        "    def act(self, observation, info=None):\n        return 0 if observation[0] < 0.5 else 1\n"
    )
    words = ["evaluate", NUMBERED, "--policies", "random", "mine.py:Fast", *EVALUATION, "--seeds", "3"]
    assert main([*words, "--json", "--report", "page", "--series", "series.npz"]) == 0
    result = json.loads(capsys.readouterr().out)
    rows = result["leaderboard"]
    assert [set(row) for row in rows] == [{"policy", "reward", "reward_low", "reward_high", "regret"}] * 2
    rewards = [result["policies"][row["policy"]]["overall"]["reward"]["mean"] for row in rows]
    assert rewards == sorted(rewards, reverse=True) == [row["reward"] for row in rows]
    assert rows[1]["regret"] == pytest.approx(rewards[0] - rewards[1])
    response = result["policies"]["random"]["overall"]["response_us"]["mean"]
    assert response == pytest.approx(-result["policies"]["random"]["overall"]["reward"]["mean"])  # the leading measure
    page = Path("page", "index.html").read_text(encoding="utf-8")
    assert "Reward over time" in page and "attainment" not in page
    assert set(np.load("series.npz").files) == {"policies", "load", "reward", "response_us"}


def test_an_environment_without_settings_has_no_jumps_and_no_setting():
    env = make_environment(NUMBERED, episode_steps=3)
    _, info = env.reset(seed=1)
    assert env.action_space.n == 2 and set(info) == {"response_us", "extrapolated", "device"}
    for wrong in ({"jumps": True}, {"setting": "random"}):
        with pytest.raises(InputError, match="scenario placement has no settings"):
            make_environment(NUMBERED, **wrong)
    with pytest.raises(InputError, match=r"action: .*allowed: an action number, 0 to 1$"):
        env.carry_out((3,))


def test_the_windows_of_a_scenario_without_actions_run_together():
    envs = make_vector_environment(AUTOMATIC, 2, autoreset_mode="Disabled")
    envs.reset(seed=[3, 3])
    observations, rewards, *_, infos = envs.step([0, 0])
    assert np.array_equal(observations[0], observations[1]) and rewards[0] == rewards[1] and "setting" not in infos


def test_a_scenario_without_reward_needs_a_measure_that_says_which_way_is_better(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FILE.read_text(encoding="utf-8").replace('"mean time of a read", LOWER', '"mean time", ""'))
    with pytest.raises(InputError, match="scenario automatic: reward is missing"):
        load_scenario(f"{file}:automatic")
