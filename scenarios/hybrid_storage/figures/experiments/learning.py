"""The loss of both agents of Harmonia while they learn, from an empty storage on."""

from __future__ import annotations

from typing import Any

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, finished, run_kept
from pmtwin.pipeline.step import Work
from pmtwin.policies import make_policy
from pmtwin.policies.tiering.agents.parts import AGENT, LOSSES
from pmtwin.scenarios.hybrid_storage.figures.campaign import HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.policies import HARMONIA
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import deciders_of, drawn_requests
from pmtwin.sim.hybrid.running import start_run

WORKLOAD = "YCSB-B"
REQUESTS, EVERY = 40_000, 1000
"""Requests of a run, and those after which the losses are read. The paper shows the first 10,000."""

SPECS = {"as described": HARMONIA, "a training every 100 requests": f"{HARMONIA}:every=100"}


def compute(work: Work) -> dict:
    """`losses`: a row for each training, with `spec`, `seed`, `agent`, `requests` answered until then, and `loss`."""
    setting = work.setting
    options = setting.scenario.options
    seeds = [(number, environment_seed(setting.seed, number)) for number in range(setting.campaign.seeds)]
    tasks = [(options, name, number, seed) for name in SPECS for number, seed in seeds]
    with work.progress(total=len(tasks), desc="learning", initial=finished(work.folder)) as bar:
        parts = run_kept(losses, tasks, work.folder, setting.jobs, bar.update)
    return {"losses": [row for part in parts for row in part]}


def requests(campaign: HybridCampaign) -> int:
    """Requests of all runs."""
    return campaign.seeds * len(SPECS) * REQUESTS


def losses(options: HybridStorageOptions, name: str, number: int, seed: int, requests: int = REQUESTS) -> list[dict]:
    """The rows of one run; at most one training of each agent between two readings is told, the last one."""
    scenario = HybridStorage(options)
    policies = make_policy(SPECS[name], scenario).inline
    stream = drawn_requests(WORKLOAD, options.shape, seed)
    deciders = deciders_of(scenario, policies, stream, dict.fromkeys(policies, np.uint64(seed)))
    run = start_run(options.storage, stream, deciders, key=seed)
    agents: dict[str, Any] = {"placement": deciders.place.arrays, "migration": deciders.migrate.arrays}
    seen, rows = dict.fromkeys(agents, 0), []
    for answered in range(EVERY, requests + 1, EVERY):
        run.advance(answered)
        for agent, arrays in agents.items():
            trainings = int(arrays[AGENT]["trainings"][0])
            if trainings > seen[agent]:
                seen[agent] = trainings
                loss = float(arrays[LOSSES][(trainings - 1) % arrays[LOSSES].size])
                rows.append({"spec": name, "seed": number, "agent": agent, "requests": answered, "loss": loss})
    return rows


def settled(requests: np.ndarray, loss: np.ndarray) -> int | None:
    """Requests from which on the loss stays within a tenth of its range around the mean of its last quarter.

    None if it enters that only in the last quarter: then it still changes at the end.
    """
    last = len(loss) - max(len(loss) // 4, 1)
    near = np.abs(loss - loss[last:].mean()) <= 0.1 * max(float(np.ptp(loss)), 1e-12) + 1e-12
    outside = np.flatnonzero(~near)
    first = outside[-1] + 1 if len(outside) else 0
    return None if first >= last else int(requests[first])
