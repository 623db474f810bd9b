"""Error of the approximate queueing formulas, beside the simulation: random settings up to 95 % load."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.rendered import Rendered, Table
from pmtwin.pipeline.step import Work
from pmtwin.sim.engines import start_network
from pmtwin.sim.queueing.waiting import queue
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers

MOST_SERVERS, MOST_COV, MOST_ARRIVAL_COV = 32, 3.0, 2.0
LOADS = (0.2, 0.95)
LEAST_WAITING = 0.02
"""Settings in which fewer requests wait are left out: their mean wait is next to nothing."""

WARM_UP = 0.1
GROUPS = {
    "M/G/1": lambda servers, arrival_cov: servers == 1 and arrival_cov == 1.0,
    "M/G/k, k to 8": lambda servers, arrival_cov: 1 < servers <= 8 and arrival_cov == 1.0,
    "M/G/k, k to 32": lambda servers, arrival_cov: servers > 8 and arrival_cov == 1.0,
    "G/G/k": lambda servers, arrival_cov: arrival_cov != 1.0,
}


def compute(work: Work) -> dict:
    """`settings`: servers, load, both coefficients of variation, and the error of the mean wait in percent."""
    campaign = work.setting.campaign
    rng = np.random.default_rng(np.random.SeedSequence(work.setting.seed, spawn_key=(1,)))
    points: list[list[float]] = []
    with work.progress(total=campaign.settings, desc="waiting times") as bar:
        while len(points) < campaign.settings:
            servers = 1 if rng.random() < 0.25 else int(rng.integers(2, MOST_SERVERS + 1))
            load, cov = float(rng.uniform(*LOADS)), float(rng.uniform(0.0, MOST_COV))
            arrival_cov = 1.0 if rng.random() < 0.75 else float(rng.uniform(0.0, MOST_ARRIVAL_COV))
            formula = queue("queue", load * servers, servers, 1.0, cov**2, arrival_cov**2)
            if formula.waits < LEAST_WAITING:
                continue
            wait = simulated(servers, load, cov, arrival_cov, campaign.requests, int(rng.integers(2**31)))
            if wait > 0.0:
                points.append([servers, load, cov, arrival_cov, 100.0 * (formula.wait_s / wait - 1.0)])
                bar.update()
    return {"settings": points}


def simulated(servers: int, load: float, cov: float, arrival_cov: float, requests: int, seed: int) -> float:
    """Mean wait in seconds of requests whose mean service takes a second."""
    stations = (
        Arrivals("arrivals", rate_ops=load * servers, cov=arrival_cov),
        Queue("queue"),
        Servers("servers", servers=servers, mean_ns=1e9, cov=cov),
    )
    run = start_network(Network(stations=stations), seed=seed)
    run.run_window(max(int(WARM_UP * requests), 1))
    return run.run_window(requests).waited_ns["queue"] * 1e-9 / requests


def render(results: dict) -> Rendered:
    """Errors by kind of queue."""
    settings, rows = results["waiting"]["settings"], []
    for name, belongs in GROUPS.items():
        errors = np.abs([each[4] for each in settings if belongs(each[0], each[3])])
        if errors.size:
            rows.append((name, errors.size, *np.percentile(errors, (50, 90, 100)).round(1).tolist()))
    table = Table(
        "waiting",
        "Mean wait by formula, absolute error beside the simulation",
        ("queue", "settings", "median %", "90th percentile %", "greatest %"),
        rows,
        f"Random settings: load {LOADS[0]:g} to {LOADS[1]:g}, coefficient of variation of services up to {MOST_COV:g}, "
        f"of gaps up to {MOST_ARRIVAL_COV:g}; at least {100 * LEAST_WAITING:g} % of the requests wait. The error of "
        "the simulation is part of it; M/G/1 is exact and shows how large that is.",
        data=(("servers", "load", "service cov", "arrival cov", "error in %"), settings),
    )
    return Rendered(tables=[table])
