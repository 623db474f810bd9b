"""`pmtwin bench numa-threads`: both engines, and LinUCB, beside their controls."""

import json

import pytest

from pmtwin import cli
from pmtwin.scenarios.numa_threads import benchmark


@pytest.fixture
def short(monkeypatch):
    """Little of everything."""
    monkeypatch.setattr(benchmark, "SECONDS", {"compiled": 0.05, "simpy": 0.01})
    monkeypatch.setattr(benchmark, "PLACEMENTS", {"near": 12})
    monkeypatch.setattr(benchmark, "DECISIONS", 20)


def test_engines_and_decisions_are_timed_beside_their_controls(short, capsys):
    words = ["bench", "numa-threads", "--repeats", "1", "--seconds", "0.001"]
    assert cli.main([*words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    ratios = {result["case"]: list(result["ratios"]) for result in report["results"]}
    assert ratios == {
        "fillrandom, near": ["compiled/simpy"],
        "LinUCB, 5 arms": ["compiled/from Python", "compiled/NumPy"],
        "LinUCB, 49 arms": ["compiled/from Python", "compiled/NumPy"],
    }
