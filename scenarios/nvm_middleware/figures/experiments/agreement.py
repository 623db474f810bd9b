"""A short run on both engines, compared request by request: equal to the last bit, or the run stops here."""

from __future__ import annotations

import time

import numpy as np

from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.model.pools import WindowSpec
from pmtwin.scenarios.nvm_middleware.phases import phase_numbers, phase_workload
from pmtwin.sim.errors import CheckFailedError
from pmtwin.sim.load.workload import Workload

POOLS = ((15, 15), (10, 10), (3, 20), (32, 32))
"""Resized from window to window, while requests are in flight."""


def run(campaign: Campaign, seed: int) -> dict:
    """Both engines in each phase with resizes, and without a middleware.

    Returns:
        `cases`: name, requests, and requests per second of each engine (compiling not counted; a short run, so only
        roughly: `pmtwin bench engine` measures).

    Raises:
        CheckFailedError: if any latency of any request differs.
    """
    cases = [(f"phase {k}, pools resized", phase_workload(k), "middleware") for k in phase_numbers()]
    cases.append(("phase 1, no middleware", phase_workload(1), "direct"))
    return {"cases": [_case(campaign, seed, *case) for case in cases]}


def _case(campaign: Campaign, seed: int, name: str, workload: Workload, mode: str) -> dict:
    _trace(campaign, seed, workload, mode, "compiled")  # compiles
    (classes, latency_us), compiled_s = _trace(campaign, seed, workload, mode, "compiled")
    (other_classes, other_us), simpy_s = _trace(campaign, seed, workload, mode, "simpy")
    if not (np.array_equal(classes, other_classes) and np.array_equal(latency_us, other_us)):
        raise CheckFailedError(f"engines: {name}: compiled and simpy differ; one of them has an error")
    count = int(latency_us.size)
    rates = {"compiled_requests_per_s": count / compiled_s, "simpy_requests_per_s": count / simpy_s}
    return {"case": name, "requests": count, **rates}


def _trace(campaign: Campaign, seed: int, workload: Workload, mode: str, engine: str):
    from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware

    window = WindowSpec(requests=campaign.agreement_requests)
    middleware = Middleware(workload, engine=engine, seed=seed, window=window, mode=mode)
    began = time.perf_counter()
    middleware.start(*POOLS[0])
    parts = []
    for number in range(campaign.agreement_windows):
        middleware.resize(*POOLS[number % len(POOLS)])
        middleware.run_window()
        parts.append(tuple(column.copy() for column in middleware.latencies()))
    seconds = time.perf_counter() - began
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True)), seconds
