"""`pmtwin bench hybrid-storage`: requests by policy and engine, decisions of agents beside a plain loop, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case
from pmtwin.bench.timing import Work
from pmtwin.console.output import print_table, print_text
from pmtwin.policies import make_policy, policy_names
from pmtwin.policies.network.plain_loop import best_actions
from pmtwin.policies.points import default_policies
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import deciders_of, requests_of
from pmtwin.sim.decisions.repeated import decide_each
from pmtwin.sim.errors import PmtwinError
from pmtwin.sim.hybrid.point import MIGRATE_POINT, PLACE_POINT
from pmtwin.sim.hybrid.records import PAGE
from pmtwin.sim.hybrid.running import COMPILED, ENGINES, start_run
from pmtwin.sim.hybrid.stream import Paged
from pmtwin.sim.options import build

WORKLOAD, LENGTH = "ssd-02", 50_000
UNITS = {"compiled": 20_000, "simpy": 200}
"""Requests in a unit of work."""

WINDOW, DECISIONS = 1_000, 2_000
INPUTS, HIDDEN, ATOMS = 7, 10, 51
"""Network of the paper, 7-10-out, with a distribution of the return (C51)."""

PLAIN_LOOP = "plain loop"

MEMORY_PAGES = (10_000, 20_000)
"""Footprints, in pages, whose difference tells what a page takes."""


def measure(request: Request) -> dict:
    """Time all policies that the scenario has, both engines, and decisions; count the memory of agents and pages."""
    scenario, specs = _scenario(length=LENGTH), _specs()
    learns = {spec: _learns(spec, scenario) for spec in specs}
    agents = [spec for spec in specs if learns[spec]]
    cases = [
        Case(f"heuristics, {WORKLOAD}", {spec: _requests(spec) for spec in specs if not learns[spec]}),
        Case(f"engines, {WORKLOAD}, write-lru", {engine: _requests("write-lru", engine) for engine in ENGINES}),
        Case("decisions of a write", _decisions(agents)),
    ]
    if agents:
        cases.insert(1, Case(f"agents that learn, {WORKLOAD}", {spec: _requests(spec) for spec in agents}))
    result = race.measure("requests or decisions", cases, request)
    decisions = result["results"][-1]["rates"]
    return {
        **result,
        "decision_ns": {name: 1e9 / rate["median"] for name, rate in decisions.items()},
        "memory": {spec: _memory(spec) for spec in agents},
        "page_bytes": PAGE.itemsize + np.dtype(np.int8).itemsize,
    }


def show(report: dict) -> None:
    """Print rates and ratios, then nanoseconds of a decision and bytes."""
    race.show(report)
    print()
    print_table(_of_plain_loop(report["decision_ns"]), ("decision of a write", "ns", "of the plain loop"))
    if report["memory"]:
        print()
        print_table(
            [(spec, *row.values()) for spec, row in report["memory"].items()], ("agents", "KiB", "bytes a page")
        )
    print_text(f"the storage has {report['page_bytes']} bytes a page")


def _of_plain_loop(decision_ns: Mapping[str, float]) -> list[tuple[str, float, float]]:
    """(name, time of a decision, that time over the plain loop's), the plain loop last."""
    plain = next(time for name, time in decision_ns.items() if name.startswith(PLAIN_LOOP))
    return [(name, time, time / plain) for name, time in decision_ns.items()]


def _scenario(**values: Any) -> HybridStorage:
    return HybridStorage(build(HybridStorageOptions, values))


def _specs() -> list[str]:
    """Specs of all policies that need no options, each for all points where its name decides."""
    scenario = HybridStorage()
    kinds = {point.name: point.kind.name for point in scenario.points}
    names = {point: policy_names(kind) for point, kind in kinds.items()}
    moving = [f"{MIGRATE_POINT}={name}" for name in names[MIGRATE_POINT] if name not in names[PLACE_POINT]]
    return [spec for spec in (*names[PLACE_POINT], *moving) if _can_be_made(spec, scenario)]


def _can_be_made(spec: str, scenario: HybridStorage) -> bool:
    try:
        policies = make_policy(spec, scenario).inline.values()
    except PmtwinError:  # with options that have no default, such as a trained file
        return False
    return not any(getattr(policy, "holds_all", False) or not policy.is_compiled() for policy in policies)


def _learns(spec: str, scenario: HybridStorage) -> bool:
    return any(policy.learns_in_a_run() for policy in make_policy(spec, scenario).inline.values())


def _deciders(scenario: HybridStorage, spec: str, requests: Paged) -> Any:
    policies = {**default_policies(scenario), **make_policy(spec, scenario).inline}
    return deciders_of(scenario, policies, requests, dict.fromkeys(policies, np.uint64(SEED)))


def _requests(spec: str, engine: str = COMPILED) -> Work:
    """Requests of a storage that goes on from sample to sample."""
    scenario = _scenario(length=LENGTH, engine=engine)
    requests = requests_of(scenario.options, WORKLOAD, SEED)
    storage = scenario.options.storage
    run = start_run(storage, requests, _deciders(scenario, spec, requests), engine, WINDOW, SEED)

    def work() -> int:
        run.advance(run.reading().answered + UNITS[engine])
        return UNITS[engine]

    work()
    return work


def _decisions(agents: Sequence[str]) -> dict[str, Work]:
    """Decisions of the agents, and of a plain loop over the paper's network."""
    scenario = _scenario(length=LENGTH)
    requests = requests_of(scenario.options, WORKLOAD, SEED)
    columns = scenario.points[0].features
    high = np.array([min(column.high, 1_000.0) for column in columns])
    rows = np.floor(np.random.default_rng(SEED).uniform(0.0, 1.0, (DECISIONS, len(columns))) * (high + 1.0))
    mask = np.ones(len(scenario.points[0].actions), np.bool_)
    contenders = {spec: _placing(_deciders(scenario, spec, requests).place, rows, mask) for spec in agents}
    contenders |= {f"{PLAIN_LOOP}, 7-{HIDDEN}-{len(mask) * ATOMS}": _plain(rows, len(mask))}
    for work in contenders.values():
        work()
    return contenders


def _placing(state: Any, rows: np.ndarray, mask: np.ndarray) -> Work:
    def work() -> int:
        decide_each(state, rows, mask)
        return len(rows)

    return work


def _weights(inputs: int, outputs: int) -> np.ndarray:
    return np.random.default_rng(SEED).normal(0.0, 0.3, (outputs, inputs + 1)).astype(np.float32)


def _plain(rows: np.ndarray, actions: int) -> Work:
    observations = (rows[:, :INPUTS] / 1_000.0).astype(np.float32)
    into, out = _weights(observations.shape[1], HIDDEN), _weights(HIDDEN, actions * ATOMS)
    atoms, chosen = np.linspace(0.0, 1.0, ATOMS, dtype=np.float32), np.zeros(len(observations), np.int64)
    hidden, logits = np.zeros(HIDDEN, np.float32), np.zeros(ATOMS, np.float32)

    def work() -> int:
        best_actions(observations, into, out, atoms, hidden, logits, chosen)
        return len(observations)

    return work


def _memory(spec: str) -> dict[str, float]:
    """KiB of the arrays of the agents in a spec, without what grows with the pages, and bytes a page of that."""
    totals, counts = [], []
    policies = make_policy(spec, HybridStorage()).inline
    agents = [point for point, policy in policies.items() if policy.learns_in_a_run()]
    for pages in MEMORY_PAGES:
        scenario = _scenario(length=LENGTH, footprint_pages=pages)
        requests = requests_of(scenario.options, WORKLOAD, SEED)
        deciders = _deciders(scenario, spec, requests)
        states = {PLACE_POINT: deciders.place, MIGRATE_POINT: deciders.migrate}
        totals.append(sum(array.nbytes for point in agents for array in states[point].arrays))
        counts.append(len(requests.home))
    of_page = (totals[1] - totals[0]) / (counts[1] - counts[0])
    return {"kib": (totals[0] - of_page * counts[0]) / 1024, "bytes_a_page": of_page}
