"""Error of the formula for the p99 response, beside the simulation: random processes up to 90 % load."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.rendered import Rendered, Table
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.two_tier.model import network
from pmtwin.scenarios.two_tier.options import SHARED, TwoTierOptions
from pmtwin.scenarios.two_tier.response import percentiles_ms
from pmtwin.sim.engines import start_network

LOADS, MISSES, THREADS, MOST_COV = (0.2, 0.9), (0.02, 0.5), (1, 2, 4, 8, 16), 2.0
WARM_UP = 0.1
GROUPS = ("exponential", "general", "one pool")


def compute(work: Work) -> dict:
    """`settings`: group, threads, share of misses, loads, coefficients of variation, error of p99 in percent."""
    campaign = work.setting.campaign
    rng = np.random.default_rng(np.random.SeedSequence(work.setting.seed, spawn_key=(4,)))
    rows = []
    for number in work.progress(range(campaign.settings), desc="p99"):
        group, options, rate, threads = _drawn(rng, GROUPS[number % len(GROUPS)])
        formula = percentiles_ms(options, rate, threads, (0.99,))[0]
        run = start_network(network(options, rate, threads), seed=int(rng.integers(2**31)))
        run.run_window(int(WARM_UP * campaign.requests))
        simulated = float(np.percentile(run.run_window(campaign.requests).latency_ns, 99)) * 1e-6
        rows.append([
            group, threads, options.miss_rate, rate, options.mu1_per_s, options.mu2_per_s, options.cov1, options.cov2,
            formula, simulated, 100.0 * (formula / simulated - 1.0),
        ])  # fmt: skip
    return {"settings": rows}


def _drawn(rng: np.random.Generator, group: str) -> tuple[str, TwoTierOptions, float, int]:
    threads, p, rate = int(rng.choice(THREADS)), float(rng.uniform(*MISSES)), 100.0
    load1, load2 = rng.uniform(*LOADS, 2)
    cov1, cov2 = rng.uniform(0.2, MOST_COV, 2) if group == "general" else (1.0, 1.0)
    if group == "one pool":  # a tenth misses, which are half of the work
        mu2 = (0.1 / 0.5) * rate / (load1 * threads)
        mu1 = (0.9 / 0.5) * rate / (load1 * threads)
        options = TwoTierOptions(servers=SHARED, miss_rate=0.1, mu1_per_s=mu1, mu2_per_s=mu2)
        return group, options, rate, threads
    mu1, mu2 = rate / (load1 * threads), p * rate / load2
    return group, TwoTierOptions(miss_rate=p, mu1_per_s=mu1, mu2_per_s=mu2, cov1=cov1, cov2=cov2), rate, threads


def render(results: dict) -> Rendered:
    """Errors by kind of service."""
    settings, rows = results["percentiles"]["settings"], []
    for group in GROUPS:
        errors = np.abs([row[-1] for row in settings if row[0] == group])
        if errors.size:
            rows.append((group, errors.size, *np.percentile(errors, (50, 90, 100)).round(1).tolist()))
    note = (
        f"Random processes: loads of both queues {LOADS[0]:g} to {LOADS[1]:g}, share of misses {MISSES[0]:g} to "
        f"{MISSES[1]:g}, k of 1 to 16; general: coefficients of variation 0.2 to {MOST_COV:g}. Exponential: the "
        "formula is exact, and the error is the simulation's. One pool: half of the work is misses, a tenth in number."
    )
    header = ("services", "settings", "median %", "90th percentile %", "greatest %")
    names = (
        "services",
        "threads",
        "miss rate",
        "rate",
        "mu1",
        "mu2",
        "cov1",
        "cov2",
        "formula ms",
        "simulated ms",
        "%",
    )
    table = Table("percentiles", "p99 by formula, absolute error beside the simulation", header, rows, note,
                  data=(names, settings))  # fmt: skip
    return Rendered(tables=[table])
