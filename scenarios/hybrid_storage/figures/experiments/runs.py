"""Runs of policies on workloads, beside the optimum of the same requests; what is finished is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, finished, run_kept
from pmtwin.pipeline.step import Work
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, Trajectory, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.hybrid_storage.figures.campaign import HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.policies import ORACLE
from pmtwin.scenarios.hybrid_storage.options import OPTIMUM, HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.possible import Part, possible
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import requests_of
from pmtwin.sim.hybrid.options import CLOSED

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Policies on a workload.

    Args:
        label: of its rows.
        workload: name.
        specs: policies; with `ORACLE` also the optimum, which needs two devices.
        storage, shape: options of `HybridOptions` and of `Shape` that differ from those of the command.
    """

    label: str
    workload: str
    specs: tuple[str, ...]
    storage: Mapping[str, Any] = field(default_factory=dict)
    shape: Mapping[str, Any] = field(default_factory=dict)

    def options(self, options: HybridStorageOptions, length: int) -> HybridStorageOptions:
        """The options of its runs: the measured part is one window."""
        shape = replace(options.shape, length=length, **self.shape)
        measured = max(round(options.measured * length), 10)
        storage = replace(options.storage, **self.storage)
        return replace(options, requests_per_window=measured, storage=storage, shape=shape)


Cases = Callable[[], Sequence[Case]]
"""What a step runs; which policies are registered is known when it is called."""


def of_campaign(work: Work, cases: Cases) -> dict:
    """`computed` of cases that are as long, and run as often, as the campaign says."""
    campaign = work.setting.campaign
    return computed(work, cases(), campaign.length, campaign.seeds)


def requests_of_campaign(campaign: HybridCampaign, cases: Cases) -> int:
    """Requests of all runs of `of_campaign`."""
    return campaign.seeds * campaign.length * runs_of(cases())


def runs_of(cases: Sequence[Case]) -> int:
    """Runs of one seed; the optimum counts as one."""
    return sum(len(case.specs) for case in cases)


def computed(work: Work, cases: Sequence[Case], length: int, seeds: int) -> dict:
    """`runs`: a row for each case, policy and seed, with `label`, `workload`, `policy`, `seed` and all measures."""
    options = work.setting.scenario.options
    assert isinstance(options, HybridStorageOptions)  # its pipeline is declared there
    numbers = {number: environment_seed(work.setting.seed, number) for number in range(seeds)}
    tasks = [(case, case.options(options, length), seed) for seed in numbers.values() for case in cases]
    with work.progress(total=len(tasks), desc="runs", initial=finished(work.folder)) as bar:
        parts = run_kept(rows_of, tasks, work.folder, work.setting.jobs, bar.update)
    of_seeds = [number for number in numbers for _ in cases]
    return {"runs": [row | {"seed": number} for part, number in zip(parts, of_seeds, strict=True) for row in part]}


def rows_of(case: Case, options: HybridStorageOptions, seed: int) -> list[Row]:
    """A row for each policy of a case, all on the same requests."""
    scenario = HybridStorage(options)
    scenario.measures = tuple(replace(measure, compared=True) for measure in scenario.measures)
    rows: list[Row] = []
    same = {"label": case.label, "workload": case.workload, "requests": options.shape.length}
    part: Part | None = None
    for spec in case.specs:
        if spec != ORACLE:
            run = _run(scenario, case.workload, spec, seed)
            part = Part(case.workload, run.system_seed, scenario.warmup_windows, left_out=0, windows=1)
            rows.append(same | {"policy": spec, **_measures(run)})
    if part is not None and ORACLE in case.specs:
        fast_us = rows[0]["mean_us"] / rows[0]["slowdown"]
        rows.append(same | {"policy": ORACLE, **_oracle(options, part, fast_us)})
    return rows


def _run(scenario: HybridStorage, workload: str, spec: str, seed: int) -> Trajectory:
    policy = make_policy(spec, scenario)
    env = ControlEnv(scenario, workload, episode_steps=None, mode=policy.mode)
    return run_policy(policy, PolicyContext.of(scenario, seed=seed), env, [Block(workload, 1)], seed)


def _measures(run: Trajectory) -> Row:
    values = {name: float(of_windows[-1]) for name, of_windows in run.measures.items()}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _oracle(options: HybridStorageOptions, part: Part, fast_us: float) -> Row:
    """The optimum's row, over Fast-Only as simulated; with requests/s where one thread waits for answers.

    Args:
        fast_us: mean latency of Fast-Only as simulated. The optimum's own Fast-Only has idle devices.
    """
    least = possible(replace(options, yardsticks=(OPTIMUM,)), part)[OPTIMUM]
    least_us = float(least.mean_ns) * 1e-3
    row: Row = {"slowdown": least_us / fast_us, "mean_us": least_us, "throughput": None, "kind": least.kind}
    requests = requests_of(options, part.conditions, part.seed)
    if requests.stream.threads == 1 and options.storage.arrivals == CLOSED:
        first, end = part.requests(options, len(requests.first))
        gap_us = float(np.mean(requests.stream.gap_ns[first:end])) * 1e-3
        row["throughput"] = (gap_us + fast_us) / (gap_us + least_us)
    return row
