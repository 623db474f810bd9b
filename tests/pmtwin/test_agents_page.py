"""docs/agents.md: its agent trains, becomes a policy, and is compared; and what is no such agent is refused.

Needs Stable-Baselines3 (make test-extra).
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import pmtwin
from pmtwin import cli

TOP = Path(__file__).resolve().parents[2]
MISSING_FILE = ["export", "--sb3", "absent.zip", "-o", "agent.npz"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (MISSING_FILE, "--trust"),
        (["export", "threshold", "--sb3", "a.zip", "--trust", "-o", "agent.npz"], "one of the two"),
        (["export", "threshold", "--trust", "-o", "policy.json"], "--trust belongs to --sb3"),
    ],
)
def test_what_does_not_go_together_is_refused(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not list(tmp_path.iterdir())


def test_an_export_of_nothing_names_both_sources(capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main(["export", "-o", "agent.npz"])
    assert leave.value.code == 2 and "POLICY (or --sb3 FILE.zip) is missing" in capsys.readouterr().err


@pytest.fixture
def baselines():
    return pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed (make test-extra)")


def test_the_agent_of_the_page_becomes_a_row_of_the_comparison(baselines, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (TOP / "docs/agents.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    Path("train_agent.py").write_text(program)
    subprocess.run([sys.executable, "train_agent.py", "1024"], check=True)
    assert cli.main(["export", "--sb3", "agent.zip", "--trust", "-o", "agent.npz"]) == 0
    assert cli.main(["export", "mlp:agent.npz", "-o", "policy.json"]) == 0
    assert json.loads(Path("policy.json").read_text())["kind"] == "mlp"
    capsys.readouterr()
    words = ["--steps", "8", "--phase-steps", "2", "--seeds", "1", "--jobs", "1", "--json"]
    assert cli.main(["evaluate", "nvm-middleware", "--policies", "mlp:agent.npz", "none", *words]) == 0
    assert "mlp:agent.npz" in json.loads(capsys.readouterr().out)["policies"]


@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "DQN"])
def test_the_converted_agent_chooses_what_the_agent_chooses(baselines, algorithm, tmp_path):
    from pmtwin.policies import PolicyContext, make_policy
    from pmtwin.scenarios.nvm_middleware import NvmMiddleware

    small = {"requests_per_window": 50, "episode_steps": 30, "jumps": False}
    env = gymnasium.make("pmtwin/NvmMiddleware-v2", normalize=True, **small)
    agent = getattr(baselines, algorithm)("MlpPolicy", env, seed=4, device="cpu")
    agent.save(tmp_path / "agent.zip")
    assert cli.main(["export", "--sb3", str(tmp_path / "agent.zip"), "--trust", "-o", str(tmp_path / "a.npz")]) == 0
    policy, raw = make_policy(f"mlp:{tmp_path / 'a.npz'}"), gymnasium.make("pmtwin/NvmMiddleware-v2", **small)
    observation, _ = env.reset(seed=1)
    plain, _ = raw.reset(seed=1)
    policy.start(PolicyContext.of(NvmMiddleware.of()))
    for step in range(30):
        assert policy.act(plain) == int(agent.predict(observation, deterministic=True)[0])
        observation, plain = env.step(step % 9)[0], raw.step(step % 9)[0]


def test_a_converted_agent_that_sees_measures_and_jumps_chooses_what_the_agent_chooses(baselines, tmp_path):
    from pmtwin.policies import Agent, PolicyContext, make_policy
    from pmtwin.scenarios.nvm_middleware import NvmMiddleware

    small = {"requests_per_window": 50, "episode_steps": 30}
    sees = {"normalize": True, "measures": True, "history": 2}
    env = pmtwin.ActionsFromZero(gymnasium.make("pmtwin/NvmMiddleware-v2", **sees, **small))
    agent = baselines.PPO("MlpPolicy", env, seed=4, device="cpu")
    agent.save(tmp_path / "agent.zip")
    assert cli.main(["export", "--sb3", str(tmp_path / "agent.zip"), "--trust", "-o", str(tmp_path / "a.npz")]) == 0
    policy, raw = make_policy(f"mlp:{tmp_path / 'a.npz'}"), gymnasium.make("pmtwin/NvmMiddleware-v2", **small)

    class Unconverted(Agent):
        from_zero = True

        def decide(self, observation):
            return agent.predict(observation, deterministic=True)[0]

    unconverted = Unconverted()
    unconverted.sees = sees
    for each in (policy, unconverted):
        each.start(PolicyContext.of(NvmMiddleware.of()))
    (observation, _), (plain, info) = env.reset(seed=1), raw.reset(seed=1)
    for _ in range(30):
        chosen = agent.predict(observation, deterministic=True)[0]
        expected = tuple(int(number) for number in chosen + 1)
        assert policy.act(plain, info) == unconverted.act(plain, info) == expected
        observation = env.step(chosen)[0]
        plain, _, _, _, info = raw.step(tuple(int(number) for number in chosen + 1))


def test_an_agent_is_never_taken_for_one_that_counts_otherwise(baselines, tmp_path, capsys):
    path, converted = tmp_path / "agent.zip", tmp_path / "a.npz"
    words = ["export", "--trust", "-o", str(converted), "--sb3", str(path)]
    from_one = gymnasium.make("pmtwin/NvmMiddleware-v2", normalize=True, requests_per_window=50)
    agent = baselines.PPO("MlpPolicy", from_one, seed=0, n_steps=64, device="cpu")
    with pytest.raises(pmtwin.InputError, match=r"allowed: 2 whole numbers of threads .*pmtwin.ActionsFromZero"):
        agent.learn(1024)  # the library leaves start out, and says 0
    agent.save(path)
    assert cli.main(words) == 2
    assert "pmtwin.ActionsFromZero(env)" in capsys.readouterr().err and not converted.exists()
    with pytest.raises(ValueError, match="Action spaces do not match"):
        baselines.PPO.load(path, env=pmtwin.ActionsFromZero(from_one))
    baselines.PPO("MlpPolicy", pmtwin.ActionsFromZero(from_one), device="cpu").save(path)  # the space of version 1
    assert cli.main(words) == 0
    assert "counted from 0, which stands for pools 1,1" in capsys.readouterr().out
    with pytest.raises(ValueError, match="Action spaces do not match"):
        baselines.PPO.load(path, env=from_one)


def test_an_agent_of_raw_observations_and_a_file_that_is_none_are_refused(baselines, tmp_path, capsys):
    env = pmtwin.ActionsFromZero(gymnasium.make("pmtwin/NvmMiddleware-v2", requests_per_window=50))
    path = tmp_path / "agent.zip"
    baselines.PPO("MlpPolicy", env, device="cpu").save(path)
    words = ["export", "--trust", "-o", str(tmp_path / "a.npz"), "--sb3"]
    assert cli.main([*words, str(path)]) == 2
    assert "normalize=True" in capsys.readouterr().err
    path.write_bytes(b"no zip")
    assert cli.main([*words, str(path)]) == 2
    assert "the zip file of an agent" in capsys.readouterr().err
    assert not (tmp_path / "a.npz").exists()
