"""`pmtwin bench deep-q`: steps of a deep Q-network beside scikit-learn's, and the replay database of CAPES' size."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.bench import SEED, Request
from pmtwin.bench.timing import quotients, rates, sample_in_turn, was_disturbed
from pmtwin.console.output import print_table
from pmtwin.console.progress import progress
from pmtwin.policies.online.database import ReplayDatabase, StoredTick
from pmtwin.policies.online.learner import OnlineLearner
from pmtwin.policies.online.presets import PAPER, PRESETS
from pmtwin.sim.numerics.statistics import spread

NETWORKS = ((220, 64), (2200, 600))
"""(inputs, units of each of two hidden layers)."""

SEEN, ACTIONS, BATCH = 10, 5, 32
CLIENTS, INDICATORS, TICKS = 5, 44, 250_000
"""Table 2 of CAPES, with 44 indicators for each of five clients."""


def measure(request: Request) -> dict:
    """Time the steps in turn, and write the database.

    Returns:
        `networks`: for each its sizes, rates of steps of the learner and of scikit-learn's `partial_fit` on a minibatch
        of the same size and type (float32), and the learner's time as a share of that; `database`: ticks, bytes of the
        file, seconds to write it and to read it; `disturbed`.
    """
    steps = len(NETWORKS) * 2 * request.repeats
    with progress(desc="deep-q", total=steps, unit="sample") as bar, threadpool_limits(1):
        networks, disturbed = [], False
        for inputs, units in NETWORKS:
            contenders = {"step": _learner(inputs, units), "partial_fit": _regressor(inputs, units)}
            for work in contenders.values():
                work()
            samples = sample_in_turn(contenders, request.repeats, request.seconds, bar.update)
            disturbed = disturbed or was_disturbed(samples)
            share = spread(quotients(samples["partial_fit"], samples["step"]))
            networks.append(
                {
                    "network": [inputs, units, units, ACTIONS],
                    **{name: rates(group) for name, group in samples.items()},
                    "step_over_partial_fit": share,
                }
            )
    with tempfile.TemporaryDirectory(dir=request.path) as folder:
        database = _database(Path(folder) / "replay.sqlite")
    return {"networks": networks, "database": database, "disturbed": disturbed}


def _learner(inputs: int, units: int) -> Callable[[], int]:
    """A step of the preset of the paper, with its replay of ticks."""
    random, columns = np.random.default_rng(SEED), inputs // SEEN
    learner = OnlineLearner(replace(PRESETS[PAPER], units=units), columns, ACTIONS, np.random.SeedSequence(SEED))
    for _ in range(1000):
        learner.replay.add_tick(random.normal(size=columns).astype(np.float32), 0.0, 1.0 + random.normal())
        learner.replay.note_action(int(random.integers(ACTIONS)))
    learner.rewards.fit(learner.replay.levels(100))

    def step() -> int:
        learner.deep_q.learn()
        return 1

    return step


def _regressor(inputs: int, units: int) -> Callable[[], int]:
    from sklearn.neural_network import MLPRegressor  # takes two seconds

    random = np.random.default_rng(SEED)
    model = MLPRegressor(hidden_layer_sizes=(units, units), activation="tanh", learning_rate_init=1e-4, alpha=0.0)
    data = (
        random.normal(size=(BATCH, inputs)).astype(np.float32),
        random.normal(size=(BATCH, ACTIONS)).astype(np.float32),
    )

    def step() -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on batches: this is one
            model.partial_fit(*data)
        return 1

    return step


def _database(path: Path) -> dict:
    random = np.random.default_rng(SEED)
    cells = random.normal(size=(100, CLIENTS, INDICATORS)).astype(np.float32)
    database = ReplayDatabase(path, {"scenario": "bench"})
    began = time.perf_counter()
    for ts in range(TICKS):
        database.add(StoredTick(ts, dict(enumerate(cells[ts % 100])), ts % ACTIONS, None, 1.0), ts % ACTIONS)
    wrote = time.perf_counter()
    read = sum(len(tick.cells) for tick in database.ticks())
    ended = time.perf_counter()
    database.close()
    return {
        "ticks": TICKS,
        "indicators": read * INDICATORS // TICKS,
        "file_bytes": path.stat().st_size,
        "write_s": round(wrote - began, 2),
        "read_s": round(ended - wrote, 2),
    }


def show(report: dict) -> None:
    """Print steps per second, their ratio, and the database."""
    print_table(
        [
            (
                "-".join(map(str, row["network"])),
                round(row["step"]["median"]),
                round(row["partial_fit"]["median"]),
                row["step_over_partial_fit"]["median"],
            )
            for row in report["networks"]
        ],
        ("network", "steps/s", "partial_fit/s", "time of a step / partial_fit"),
    )
    database = report["database"]
    print(
        f"replay database: {database['ticks']:,} ticks of {database['indicators']} numbers, "
        f"{database['file_bytes'] / 1e9:.2f} GB; written in {database['write_s']} s, read in {database['read_s']} s"
    )
    if report["disturbed"]:
        print("other work shared the processor: compare the ratio only")
