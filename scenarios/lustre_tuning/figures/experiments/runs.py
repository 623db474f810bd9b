"""Runs of policies on workloads, minute by minute; what is finished is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, finished, run_kept
from pmtwin.pipeline.step import Work
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, Trajectory, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.lustre_tuning.figures.experiments.subject import subject
from pmtwin.scenarios.lustre_tuning.options import LustreOptions
from pmtwin.scenarios.lustre_tuning.scenario import THROUGHPUT, LustreTuning

Row = dict[str, Any]

HOUR_S, MINUTE_S = 3600.0, 60.0
LOSS_MINUTES = 10
"""Minutes over which losses and settings are averaged."""


@dataclass(frozen=True)
class Case:
    """A policy on a workload.

    Args:
        workload, spec: names. hours: simulated time. label: of its row.
        options, cluster: options of the scenario and of the cluster that differ from those of the command.
        kept_h: hours after which the network is kept in a file; None: it is not.
    """

    workload: str
    spec: str
    hours: float
    label: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    cluster: Mapping[str, Any] = field(default_factory=dict)
    kept_h: float | None = None

    def of(self, options: LustreOptions) -> LustreOptions:
        """The options with what differs."""
        return replace(options, cluster=replace(options.cluster, **self.cluster), **self.options)


def computed(work: Work, cases: Sequence[Case], seeds: int) -> dict:
    """`runs`: a row for each case and seed, as `run_of`; rows of a seed meet the same clients."""
    options, numbers = subject(work).options, range(seeds)
    tasks = [
        (case, case.of(options), number, environment_seed(work.setting.seed, number), str(work.folder))
        for case in cases
        for number in numbers
    ]
    with work.progress(total=len(tasks), desc="runs", initial=finished(work.folder)) as bar:
        return {"runs": run_kept(run_of, tasks, work.folder, work.setting.jobs, bar.update)}


def run_of(case: Case, options: LustreOptions, number: int, seed: int, folder: str = "") -> Row:
    """A run: `minutes`, the throughput of each minute in MB/s; `window` and `tau_us`, means over `LOSS_MINUTES`.

    A policy that learns has also `losses`, mean squared errors of the action values over as long, in units of
    `unit` MB/s.
    """
    scenario = LustreTuning(options)
    policy = make_policy(case.spec, scenario)
    env = ControlEnv(scenario, case.workload, episode_steps=None, mode=policy.mode)
    windows, minute = round(case.hours * HOUR_S / options.window_s), round(MINUTE_S / options.window_s)
    steps, network = 0, network_file(folder, case.workload, number)
    losses = []

    def on_step() -> None:
        nonlocal steps
        steps += 1
        if case.kept_h is not None and steps == round(case.kept_h * HOUR_S / options.window_s):
            policy.save(str(network))
        if steps % (LOSS_MINUTES * minute) == 0:
            losses.append(_loss(policy))

    context = PolicyContext.of(scenario, seed=np.random.SeedSequence(seed))
    run = run_policy(policy, context, env, [Block(case.workload, windows)], seed, on_step=on_step)
    row = {
        "workload": case.workload,
        "policy": case.spec,
        "label": case.label,
        "seed": number,
        **_averages(run, minute),
    }
    return row | _learned(policy, losses)


def network_file(folder: str | Path, workload: str, number: int) -> Path:
    """File of a network that a run keeps."""
    return Path(folder) / f"{workload}-{number}.npz"


def _averages(run: Trajectory, minute: int) -> Row:
    window, tau_us = run.setting.T
    return {
        "minutes": means(run.measures[THROUGHPUT.name], minute),
        "window": means(window, LOSS_MINUTES * minute),
        "tau_us": means(tau_us, LOSS_MINUTES * minute),
    }


def means(values: np.ndarray, length: int) -> list[float]:
    """Means of stretches of so many values; a shorter one at the end is left out."""
    whole = len(values) // length * length
    return np.asarray(values[:whole], float).reshape(-1, length).mean(axis=1).round(4).tolist()


def _loss(policy: Any) -> float | None:
    """Mean squared error since the last call, of an agent that learns; None before it does."""
    agent = getattr(policy, "agent", None)
    if agent is None or not agent.learner.losses:
        return None
    mean = 2.0 * float(np.mean(agent.learner.losses))  # the optimiser's is half of it
    agent.learner.losses.clear()
    return mean


def _learned(policy: Any, losses: list[float | None]) -> Row:
    agent = getattr(policy, "agent", None)
    return {} if agent is None else {"losses": losses, "unit": float(agent.learner.rewards.unit)}
