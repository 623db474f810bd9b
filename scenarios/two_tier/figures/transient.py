"""Equations (1) to (4) out of equilibrium: fluid limit, transient and equilibrium beside simulated workloads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.figures.drawing.rendered import Rendered, Table
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.two_tier.formulas import equilibrium, fluid
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.simulated import run_workload
from pmtwin.scenarios.two_tier.transient import transient
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.statistics import mean_interval

RATES, REQUESTS, THREADS = (100.0, 150.0, 165.0, 200.0, 300.0), (100, 1000, 10_000, 100_000), 16
"""Requests per second of a process whose I/O thread serves 33 misses/s, which are a fifth: 165 is what it can do."""

LEAST_RUNS, MOST_RUNS = 10, 400


def compute(work: Work) -> dict:
    """`rows`: a workload each, by formulas and simulated."""
    total, rows = work.setting.campaign.transient_requests, []
    cases = [(rate, requests) for rate in RATES for requests in REQUESTS]
    for number, (rate, requests) in enumerate(work.progress(cases, desc="workloads")):
        options = replace(TwoTierOptions(), processes=1, requests=requests)
        runs = min(max(total // requests, LEAST_RUNS), MOST_RUNS)
        seeds = np.random.SeedSequence(work.setting.seed, spawn_key=(3, number)).generate_state(runs, np.uint64) >> 1
        simulated = [run_workload(options, rate, THREADS, int(seed)) for seed in seeds]
        rows.append({
            "rate": rate, "requests": requests,
            "equilibrium_ms": _equilibrium_ms(options, rate),
            "transient": transient(options, rate, THREADS, requests)._asdict(),
            "fluid": fluid(options, rate, THREADS)._asdict(),
            "response_ms": mean_interval([run.means["mean_response_ms"] for run in simulated]),
            "completion_s": mean_interval([each.completion_s for each in simulated]),
        })  # fmt: skip
    return {"rows": rows}


def _equilibrium_ms(options: TwoTierOptions, rate: float) -> float | None:
    try:
        return equilibrium(options, rate, THREADS).mean_response_ms
    except InputError:  # overload
        return None


def render(results: dict) -> Rendered:
    """The table."""
    rows = []
    for each in results["transient"]["rows"]:
        response, completion = each["response_ms"], each["completion_s"]
        numbers = (
            each["equilibrium_ms"], each["transient"]["mean_response_ms"], response["mean"], response["low"],
            response["high"], each["fluid"]["service_s"], each["fluid"]["completion_s"],
            each["transient"]["completion_s"], completion["mean"],
        )  # fmt: skip
        rows.append((each["rate"], each["requests"], *(None if x is None else float(f"{x:.4g}") for x in numbers)))
    header = (
        "requests/s", "requests", "equilibrium, ms", "transient, ms", "simulated, ms", "low", "high",
        "equation (4), s", "fluid, s", "transient, s", "simulated, s",
    )  # fmt: skip
    note = (
        "Mean response and completion of a process that begins with empty queues: p 0.2, mu_1 1000/s, mu_2 33/s, k 16. "
        "From 165 requests/s on there is no equilibrium. Equation (4) leaves out that requests have to arrive."
    )
    return Rendered(tables=[Table("transient", "Workloads from empty queues", header, rows, note)])
