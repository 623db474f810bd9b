"""References of the objective: throughput and tail latency of a workload at Lustre's default."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from pmtwin.scenarios.lustre_tuning.limits import DEFAULT
from pmtwin.scenarios.lustre_tuning.options import LEVEL, LustreOptions
from pmtwin.scenarios.lustre_tuning.workloads import WORKLOADS
from pmtwin.sim.control.tradeoff import Tradeoff

WINDOWS, SEED = 240, 4_000_000_019
"""Windows of the run behind the references, and its seed, which no evaluation uses."""


@lru_cache(maxsize=64)
def tradeoff_of(scenario: Callable[[LustreOptions], Any], options: LustreOptions, workload: str) -> Tradeoff:
    """The objective under a workload, with means over `WINDOWS` windows at Lustre's default as references.

    Args:
        scenario: its class. options: of the scenario.
    """
    rows = []
    with closing(scenario(replace(options, reward=LEVEL)).system(workload, SEED)) as system:
        system.start(DEFAULT)
        for _ in range(WINDOWS):
            system.run_window()
            rows.append((system.measures()["throughput_mb_s"], system.tail_ms()))
    (throughput_mb_s, tail_ms), load = np.mean(rows, axis=0).tolist(), WORKLOADS[workload]
    weight = options.latency_weight if load.latency_weight is None else load.latency_weight
    return Tradeoff(throughput_mb_s, tail_ms if load.target_ms is None else load.target_ms, weight)
