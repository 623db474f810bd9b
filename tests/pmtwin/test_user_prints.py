"""What a user's own code prints does not come between the results: those are on standard output, it is on the other."""

import json
import os
import subprocess
import sys

import pytest

from pmtwin import cli

POLICY = """
import ctypes, os
print("at import")
from pmtwin.policies import Policy

class Loud(Policy):
    '''Prints wherever it can.'''

    def __init__(self, options=None):
        print("made")
        super().__init__(options)

    def start(self, context):
        print("started", flush=True)

    def act(self, observation, info=None):
        print("acts")
        os.system("echo a child")
        os.write(1, b"to the descriptor\\n")
        ctypes.CDLL(None).puts(b"from C")
        return (8, 8)
"""
REWARD = "print('at import')\n\ndef quick(measures):\n    print('rewards')\n    return -measures['p99_us']\n"
EVALUATE = ["evaluate", "nvm-middleware", "--steps", "2", "--phase-steps", "1", "--seeds", "2"]
EVALUATE += ["--set", "requests_per_window=50"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "loud.py").write_text(POLICY)
    (tmp_path / "other.py").write_text(REWARD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("spec", "jobs", "shown"), [("loud.py:Loud", "2", ["--json"]), ("loud:Loud", "1", [])])
def test_prints_of_a_policy_go_to_standard_error(folder, spec, jobs, shown):
    words = [*EVALUATE, "--policies", spec, "none", "--jobs", jobs, "--reward", "other.py:quick"]
    environment = dict(os.environ, PYTHONPATH=str(folder))
    command = [sys.executable, "-m", "pmtwin", *words, *shown]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    for text in ("at import", "made", "started", "acts", "a child", "to the descriptor", "from C", "rewards"):
        assert text not in done.stdout and text in done.stderr, text
    if shown:
        assert set(json.loads(done.stdout)["policies"]) == {spec, "none"}
    else:
        assert "attainment" in done.stdout and "rank" in done.stdout


SCENARIO = """
print("at import")
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware

class Mine(NvmMiddleware):
    name = "mine"

    def reward(self, measures):
        print("rewards")
        return super().reward(measures)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "mine.py:Mine", "--windows", "2"],
        ["train", "mine.py:Mine", "--policy", "q-learning", "--set", "campaign=0.001", "-o", "q.npz", "--jobs", "1"],
        ["evaluate", "mine.py:Mine", "--policies", "none", "--dry-run"],
        ["list", "scenarios", "mine.py:Mine"],
    ],
    ids=lambda words: words[0],
)
def test_prints_of_a_scenario_go_to_standard_error(folder, capsys, words):
    (folder / "mine.py").write_text(SCENARIO)
    small = [] if words[0] == "list" else ["--set", "requests_per_window=50"]
    assert cli.main([*words, *small, "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) and "at import" in shown.err
    assert sys.stdout is not sys.stderr


def test_an_error_gives_standard_output_back(folder, capsys):
    assert cli.main([*EVALUATE, "--policies", "loud.py:Absent", "--jobs", "1"]) == 2
    print("after it")
    shown = capsys.readouterr()
    assert shown.out == "after it\n" and "at import" in shown.err
