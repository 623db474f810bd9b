"""Table 2: what learning with the paper's hyperparameters costs in time, memory, disk and messages."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.figures.experiments.parallel import environment_seed
from pmtwin.pipeline.step import Work
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.online.database import ReplayDatabase
from pmtwin.policies.online.learner import OnlineLearner
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.lustre_tuning.figures.experiments.subject import subject
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import LONGEST, PAPER
from pmtwin.scenarios.lustre_tuning.scenario import LustreTuning

WINDOWS, STEPS = 600, 30
"""Windows of the run, and optimiser steps that are timed."""

RECORDS = 250_000
"""Windows that the sizes are stated for."""

COPIES = 4
"""Copies of the weights in memory: the network, the target network, and two averages of Adam."""


def compute(work: Work) -> dict:
    """Sizes in bytes, those of the database for `RECORDS` windows, and `step_s`, a time that differs by run."""
    scenario, path = subject(work), work.folder / "replay.sqlite"
    path.unlink(missing_ok=True)  # of an interrupted run
    learner = _learned(scenario, environment_seed(work.setting.seed), path)
    parameters = learner.layers.parameters
    with closing(ReplayDatabase(path, None)) as database:
        cells = np.array([cells for tick in database.ticks() for cells in tick.cells.values()])
    clients = scenario.options.cluster.clients
    messages = [message_bytes(part) for part in np.split(cells[:, : len(scenario.columns)], clients, axis=1)]
    return {
        "parameters": parameters.size,
        "network_bytes": parameters.nbytes,
        "network_in_use_bytes": COPIES * parameters.nbytes,
        "indicators": len(scenario.columns) // clients,
        "observation": learner.layers.weights[0].shape[0],
        "disk_bytes": path.stat().st_size * RECORDS // WINDOWS,
        "memory_bytes": learner.replay.tick_bytes * RECORDS,
        "message_bytes": float(np.mean(messages)),
        "step_s": _step_s(learner),
    }


def _learned(scenario: LustreTuning, seed: int, path: Path) -> OnlineLearner:
    """What has learned after a run that kept its windows in a database."""
    policy = make_policy(f"{PAPER},replay={path}", scenario)
    env = ControlEnv(scenario, LONGEST, episode_steps=None, mode=policy.mode)
    context = PolicyContext.of(scenario, seed=np.random.SeedSequence(seed))
    run_policy(policy, context, env, [Block(LONGEST, WINDOWS)], seed)
    policy.close()
    return policy.agent.learner  # type: ignore[attr-defined]  # of a policy that learns in its run


def _step_s(learner: OnlineLearner) -> float:
    """Least seconds of an optimiser step on one thread."""
    with threadpool_limits(1):
        return min(_times(learner))


def _times(learner: OnlineLearner) -> Iterator[float]:
    for _ in range(STEPS):
        began = time.perf_counter()
        learner.deep_q.learn()
        yield time.perf_counter() - began


def message_bytes(cells: np.ndarray) -> float:
    """Mean size of a client's messages: which numbers changed since the window before, and these, compressed.

    Args:
        cells: shape (windows, numbers), float32.
    """
    changed = cells[1:] != cells[:-1]
    sizes = [
        len(zlib.compress(np.packbits(which).tobytes() + now[which].tobytes()))
        for which, now in zip(changed, cells[1:], strict=True)
    ]
    return float(np.mean(sizes))
