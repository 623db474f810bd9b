"""Figure B.1: what is run, and how the statements of section 4.2 are judged."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.experiments import concurrency
from pmtwin.scenarios.nvm_middleware.figures.plots.concurrency import Measured, statements

TINY = replace(QUICK, concurrency_seeds=2, concurrency_windows=1, concurrency_warmup=0)


@pytest.fixture(scope="module")
def experiment():
    return concurrency.run(TINY, seed=3)


def test_every_combination_runs_with_every_seed(experiment):
    assert len(experiment["combinations"]) == len(experiment["pools"]) == 42
    assert {len(run[key]) for run in [experiment["none"], *experiment["pools"]] for key in run} == {2}
    assert experiment["workload"] == "section-4.2"


def test_the_number_of_processes_changes_nothing(experiment):
    assert concurrency.run(TINY, seed=3, jobs=2) == experiment


def test_another_seed_is_another_run(experiment):
    assert concurrency.run(TINY, seed=4)["none"] != experiment["none"]


def test_progress_counts_every_run():
    ticks = []
    concurrency.run(replace(TINY, concurrency_seeds=1), seed=3, on_done=ticks.append)
    assert sum(ticks) == concurrency.tasks(replace(TINY, concurrency_seeds=1)) == 43


def synthetic(p99, batch) -> Measured:
    """Settings whose latency and throughput are functions of (interactive, batch); none has 1000 us and 100 ops/s."""
    pairs = concurrency.COMBINATIONS
    wobble = np.array([0.99, 1.01])
    pools = [{"p99_us": (p99(i, b) * wobble).tolist(), "batch_ops": (batch(i, b) * wobble).tolist()} for i, b in pairs]
    none = {"p99_us": (1000.0 * wobble).tolist(), "batch_ops": (100.0 * wobble).tolist()}
    return Measured({"combinations": [list(pair) for pair in pairs], "none": none, "pools": pools})


def verdicts(measured: Measured) -> dict[str, bool | None]:
    return {each.published.split(" ")[0]: each.holds for each in statements(measured)}


def test_a_system_as_published_makes_every_statement_true():
    def latency(i, b):
        return 20.0 + 4.0 * abs(i - 16) + 3.0 * b + (3000.0 if i == 1 or min(i, b) > 16 else 0.0)

    def throughput(i, b):
        return {1: 60.0, 2: 110.0, 4: 130.0, 8: 150.0, 16: 175.0, 32: 186.0}[b]

    result = verdicts(synthetic(latency, throughput))
    judged = {name: holds for name, holds in result.items() if holds is not None}
    assert judged == {"too": True, "performance": True, "16": True, "any": True}
    best = statements(synthetic(latency, throughput))[:2]
    assert best[0].computed.startswith("97.7 %") and best[0].computed.endswith("with pools 16,1")
    assert best[1].computed.startswith("86 %") and best[1].difference in ("+0.0 points", "-0.0 points")


def test_statements_can_be_false():
    result = verdicts(synthetic(lambda i, b: 2000.0 / b, lambda i, b: 200.0 / b))
    assert [result[name] for name in ("too", "performance", "16", "any")] == [True, False, False, False]
    assert verdicts(synthetic(lambda i, b: 500.0, lambda i, b: 150.0))["too"] is False
