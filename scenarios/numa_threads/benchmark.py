"""`pmtwin bench numa-threads`: events of the machine by engine, and decisions of LinUCB beside NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.policies.making import single_policy
from pmtwin.scenarios.numa_threads.model import Model
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.points import COLUMNS
from pmtwin.scenarios.numa_threads.workloads import workload_of
from pmtwin.sim.decisions import DecisionPoint
from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.repeated import decide_and_learn
from pmtwin.sim.numa.running import SIMULATORS

__all__ = ["measure", "show"]

WORKLOAD = "fillrandom"
PLACEMENTS = {"threads as they start": 0, "all on 36 logical cores near": 36, "all on 12 logical cores near": 12}
SECONDS = {"compiled": 20.0, "simpy": 0.05}
"""Simulated in a unit of work."""

ARMS = (5, 49)
DECISIONS = 2_000
"""Of LinUCB in a unit of work, each with what it learns."""

ALPHA, REWARD = 0.3, 0.1


def measure(request: Request) -> dict:
    """Time both engines under three placements, and LinUCB compiled, called from Python, and in NumPy."""
    cases = [Case(f"{WORKLOAD}, {name}", _engines(cores)) for name, cores in PLACEMENTS.items()]
    return race.measure("operations or decisions", [*cases, *map(_decisions, ARMS)], request)


def _engines(cores: int) -> dict[str, Work]:
    return {engine: _simulation(engine, cores) for engine in SIMULATORS}


def _simulation(engine: str, cores: int) -> Work:
    """Operations of 48 threads; the run goes on from sample to sample."""
    model = Model(NumaOptions(), workload_of(WORKLOAD))
    run = model.started(engine, (SEED, 0))
    if cores:
        run.set_affinities([(thread % cores,) for thread in range(model.workload.threads)])

    def work() -> int:
        run.advance(run.now_s + SECONDS[engine])
        return model.group * int(run.window().flow.sum())

    work()
    return work


def _decisions(arms: int) -> Case:
    rows = np.random.default_rng(SEED).uniform(0.0, 1.0, (DECISIONS, len(COLUMNS)))
    rows *= [column.high for column in COLUMNS]
    contenders = {"compiled": _compiled(arms, rows), "from Python": _called(arms, rows), "NumPy": _in_numpy(arms, rows)}
    for work in contenders.values():
        work()
    return Case(f"LinUCB, {arms} arms", contenders)


def _state(arms: int) -> Any:
    point = DecisionPoint("core", "a decision", features=COLUMNS, actions=tuple(map(str, range(arms))), masked=True)
    return single_policy(f"linucb:alpha={ALPHA}", "choice").state(point, SEED)


def _compiled(arms: int, rows: np.ndarray) -> Work:
    state, mask = _state(arms), np.ones(arms, np.bool_)

    def work() -> int:
        decide_and_learn(state, rows, mask, REWARD)
        return len(rows)

    return work


def _called(arms: int, rows: np.ndarray) -> Work:
    state, mask = _state(arms), np.ones(arms, np.bool_)

    def work() -> int:
        for row in rows:
            observe(state, row, decide(state, row, mask), REWARD)
        return len(rows)

    return work


def _in_numpy(arms: int, rows: np.ndarray) -> Callable[[], int]:
    """The same as in the article, in plain NumPy."""
    size = rows.shape[1] + 1
    high = np.array([column.high for column in COLUMNS])
    inverse, sums = np.tile(np.eye(size), (arms, 1, 1)), np.zeros((arms, size))

    def work() -> int:
        for row in rows:
            x = np.append(2.0 * row / high - 1.0, 1.0)
            product = inverse @ x
            arm = int(((product * sums).sum(axis=1) + ALPHA * np.sqrt(product @ x)).argmax())
            inverse[arm] -= np.outer(product[arm], product[arm]) / (1.0 + product[arm] @ x)
            sums[arm] += REWARD * x
        return len(rows)

    return work
