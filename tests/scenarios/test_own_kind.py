"""A scenario outside the checkout brings a kind of decision point: generic code takes from the kind all it needs."""

import json
import shutil
from pathlib import Path

import pytest

from pmtwin import cli


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with the scenario, in which the commands run."""
    shutil.copy(Path(__file__).with_name("sharing.py"), tmp_path)
    monkeypatch.chdir(tmp_path)


def evaluated(capsys, *policies: str, learning: str = "on") -> dict[str, float]:
    """Policy -> mean cost."""
    words = ["evaluate", "sharing.py:Sharing", "--policies", *policies, "--steps", "6", "--jobs", "1"]
    assert cli.main([*words, "--learning", learning, "--json"]) == 0
    return {row["policy"]: -row["reward"] for row in json.loads(capsys.readouterr().out)["leaderboard"]}


def test_its_policies_are_compared_trained_and_frozen(capsys):
    cost = evaluated(capsys, "sharing.py:Always", "side=sharing.py:Always:0.66", "sharing.py:Climbing")
    assert cost["sharing.py:Climbing"] < cost["sharing.py:Always"] == pytest.approx(0.375)
    train = ["train", "sharing.py:Sharing", "--policy", "side=sharing.py:Climbing", "--rounds", "1"]
    assert cli.main([*train, "--round-windows", "3", "-o", "climbing.npz"]) == 0
    assert "side=sharing.py:Climbing:file=climbing.npz" in capsys.readouterr().out
    frozen = "sharing.py:Climbing:file=climbing.npz"
    best = cost["side=sharing.py:Always:0.66"]
    assert evaluated(capsys, frozen, learning="frozen")[frozen] == pytest.approx(best, rel=1e-2)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("side=fixed:0", "decides between windows, not which share goes left; allowed: FILE.py:Class"),
        ("side=lru", "decides which page leaves a full cache, not which share goes left"),
        ("sharing.py:Wrong", "sharing.py:80: policy sharing.py:Wrong: 'share' does not compile: Unknown attribute"),
        ("sharing.py:Late", "policy sharing.py:Late: share() failed: ValueError: too late"),
        ("sharing.py:Sharer", "a class with a method share; Sharer in "),
    ],
)
def test_what_does_not_fit_it_is_one_line(capsys, policy, said):
    assert cli.main(["evaluate", "sharing.py:Sharing", "--policies", policy, "--steps", "1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_it_is_listed(capsys):
    assert cli.main(["list", "scenarios", "sharing.py:Sharing", "--json"]) == 0
    (point,) = json.loads(capsys.readouterr().out)["points"]
    assert (point["kind"], point["decides"], point["events"]) == ("sharing", "which share goes left", ["share", "cost"])
