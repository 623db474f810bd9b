"""Whole programs: each policy on each workload until all requests are done, by seed and by sampled system."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed, run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, Trajectory, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.numa_threads.figures.experiments.subject import subject
from pmtwin.scenarios.numa_threads.scenario import NumaThreads
from pmtwin.scenarios.numa_threads.workloads import PATTERNS, PUBLISHED_MIXTURES

POLICIES = ("none", "rule", "linucb")
WORKLOADS = (*PATTERNS, *PUBLISHED_MIXTURES)
REQUESTS = 960_000
"""Of all threads together (the paper's section 9.2.2)."""

MOST_WINDOWS = 100_000


def compute(work: Work) -> dict:
    """`runs`: a row each, with `workload`, `policy`, `seed`, `sample` (None: the profile itself), and what came out."""
    setting, campaign = work.setting, work.setting.campaign
    scenario = program_scenario(subject(work))
    sampled = program_scenario(subject(work).sampled_systems(campaign.samples))
    tasks: list[tuple] = [(scenario, name, None, setting.seed, campaign.seeds) for name in WORKLOADS]
    tasks += [(sampled, name, sample, setting.seed, 1) for sample in range(sampled.devices) for name in WORKLOADS]
    with work.progress(total=len(tasks), desc="programs") as bar:
        rows = run_tasks(_programs, tasks, setting.jobs, bar.update)
    return {"runs": [row for part in rows for row in part]}


def program_scenario(scenario: NumaThreads) -> NumaThreads:
    """The scenario with threads that end, and with all measures in its records."""
    programs = NumaThreads(replace(scenario.options, requests=REQUESTS))
    programs.measures = tuple(replace(measure, compared=True) for measure in programs.measures)
    return programs


def _programs(scenario: NumaThreads, workload: str, sample: int | None, seed: int, seeds: int) -> list[dict]:
    """All runs of a workload on one system: they share its tables of costs."""
    return [
        {"workload": workload, "policy": spec, "seed": number, "sample": sample}
        | program(scenario, workload, spec, environment_seed(seed, number), sample)
        for number in range(seeds)
        for spec in POLICIES
    ]


def program(scenario: NumaThreads, workload: str, spec: str, seed: int, sample: int | None) -> dict[str, float]:
    """One program.

    Returns:
        `real_s`: until the last request is done; `user_s` and `sys_s`: CPU time of all threads; `p99_ms` and
        `local_share`: means over the windows, weighted by their operations; `moves`: threads that went to another node.
    """
    policy = make_policy(spec, scenario)
    run = run_policy(
        policy,
        PolicyContext.of(scenario, seed=seed),
        ControlEnv(scenario, workload, episode_steps=None, mode=policy.mode),
        [Block(workload, MOST_WINDOWS)],
        seed,
        sample,
        until=lambda info: not math.isnan(info["real_s"]),
    )
    return _summary(run, scenario.options.window_s)


def _summary(run: Trajectory, window_s: float) -> dict[str, float]:
    measures, real_s = run.measures, float(run.measures["real_s"][-1])
    seconds = np.diff([*(window_s * np.arange(len(run.reward))), real_s])  # the last window ends with the program
    operations = measures["ops_per_s"] * seconds
    weighted = {name: float(np.average(measures[name], weights=operations)) for name in ("p99_ms", "local_share")}
    summed = {name: float(measures[name] @ seconds) for name in ("user_s", "sys_s")}
    return {"real_s": real_s, **summed, **weighted, "moves": float(measures["node_migrations"] @ seconds)}
