"""What the control of many real threads costs."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace

import numpy as np

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.scenario import NumaThreads

THREADS, WINDOW_S, WINDOWS = 64, 1.0, 4
POLICY, WORKLOAD = "rule", "mixed-50"

MOST = 0.01
"""Largest share of a processor that the control of so many threads may take."""


def controller_share(options: NumaOptions) -> float:
    """Share of a processor that this process takes while a policy places many threads; the median of windows.

    Args:
        options: of the real side.
    """
    scenario = NumaThreads(replace(options, threads=THREADS, window_s=WINDOW_S))
    policy, spent = make_policy(POLICY, scenario), list[tuple[float, float]]()

    def look() -> None:
        spent.append((time.process_time(), time.monotonic()))

    with closing(ControlEnv(scenario, WORKLOAD, episode_steps=None, warmup_windows=1, mode=policy.mode)) as env:
        context = PolicyContext.of(scenario, seed=np.random.SeedSequence(0))
        run_policy(policy, context, env, (Block(WORKLOAD, WINDOWS + 1),), 0, on_step=look)
    cpu_s, passed_s = np.diff(np.array(spent), axis=0).T
    return float(np.median(cpu_s / passed_s))
