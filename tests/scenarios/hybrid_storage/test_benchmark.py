"""`pmtwin bench hybrid-storage`: every policy of the scenario, both engines, decisions, memory."""

import numpy as np
import pytest

from pmtwin.bench import Request
from pmtwin.policies import policy_names
from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.heads import CategoricalHead
from pmtwin.policies.network.plain_loop import best_actions
from pmtwin.scenarios.hybrid_storage import benchmark


def test_it_measures_all_policies_that_need_no_file_and_both_engines(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "UNITS", {"compiled": 200, "simpy": 20})
    monkeypatch.setattr(benchmark, "LENGTH", 1_000)
    heuristics, scenario = {"write-lru", "slow-only"}, benchmark.HybridStorage()
    agent = next(spec for spec in benchmark._specs() if benchmark._learns(spec, scenario))
    chosen = [*sorted(heuristics), agent]
    monkeypatch.setattr(benchmark, "_specs", lambda: chosen)
    report = benchmark.measure(Request("/dev/shm", 1, 0.001))
    benchmark.show(report | {"benchmark": "hybrid-storage", "repeats": 1})
    by_case = {result["case"].partition(",")[0]: result for result in report["results"]}
    assert set(by_case["engines"]["rates"]) == {"compiled", "simpy"}
    assert set(by_case["heuristics"]["rates"]) == heuristics
    assert any(name.startswith("plain loop") for name in report["decision_ns"])
    assert set(report["memory"]) == {agent} and report["memory"][agent]["kib"] > 0.0
    assert f"{report['page_bytes']} bytes a page" in capsys.readouterr().out


def test_a_decision_stands_beside_the_plain_loop(capsys):
    report = {"benchmark": "hybrid-storage", "unit": "decisions", "repeats": 1, "results": [], "memory": {},
              "decision_ns": {"harmonia": 250.0, "plain loop, 7-10-102": 1000.0}, "page_bytes": 57}  # fmt: skip
    benchmark.show(report)
    assert ["harmonia", "250", "0.25"] in [line.split() for line in capsys.readouterr().out.splitlines()]


def test_specs_are_those_of_the_registry():
    specs = benchmark._specs()
    assert {"write-lru", "cde", "lru-clean", "heat", "static-set", "migrate=thresholds"} <= set(specs)
    assert "fast-only" not in specs
    assert {spec for spec in specs if "=" not in spec} <= set(policy_names("write-placement"))


@pytest.mark.parametrize("actions", [2, 3])
def test_the_plain_loop_has_the_action_of_the_learning_kit(actions):
    rng, count = np.random.default_rng(0), 51
    observations = rng.uniform(-1.0, 1.0, (200, 7)).astype(np.float32)
    into, out = (rng.normal(0.0, 1.0, shape).astype(np.float32) for shape in ((10, 8), (actions * count, 11)))
    atoms, chosen = np.linspace(-2.0, 5.0, count, dtype=np.float32), np.zeros(200, np.int64)
    best_actions(observations, into, out, atoms, np.zeros(10, np.float32), np.zeros(count, np.float32), chosen)
    total = observations @ into[:, :-1].T + into[:, -1]
    outputs = (total / (1.0 + np.exp(-total))) @ out[:, :-1].T + out[:, -1]
    values = CategoricalHead(actions, Atoms(count, -2.0, 5.0)).values(outputs)
    assert np.mean(values.argmax(axis=1) == chosen) > 0.99 and len(set(chosen.tolist())) == actions
