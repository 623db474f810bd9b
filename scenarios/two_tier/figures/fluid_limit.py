"""Error of the fluid limit of the whole system, beside the simulation: random systems, with any number of requests."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.rendered import Rendered, Table
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.fluid import FEW, doubts, fluid_of
from pmtwin.scenarios.two_tier.storage.mapping import BLOCK, RANDOM, ROUND_ROBIN
from pmtwin.scenarios.two_tier.storage.options import READ, READ_MODIFY_WRITE, StorageOptions
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.system import System

PROCESSES, PAGES, REQUESTS, RATES = (1, 200), (200, 40_000), (20, 300_000), (10.0, 1000.0)
"""Ranges, in each of which all orders of magnitude are alike."""

GROUPS = {False: f"{FEW} requests of a client and reads of a process, or more", True: "fewer, which is said"}
NAMES = (
    "processes", "clients of a process", "threads", "pages", "requests", "operation", "doubted", "response s",
    "formula s", "HDD s", "formula s",
)  # fmt: skip


def compute(work: Work) -> dict:
    """`systems`: their sizes, whether the formula is in doubt, and both times simulated and by formula."""
    rng = np.random.default_rng(np.random.SeedSequence(work.setting.seed, spawn_key=(5,)))
    rows = []
    for _ in work.progress(range(work.setting.campaign.settings), desc="fluid limit"):
        system = drawn(rng)
        times, formula = simulate_system(system, int(rng.integers(2**31))), fluid_of(system)
        options = system.storage
        rows.append([
            system.processes, options.client_threads, system.threads, options.pages, system.requests, options.operation,
            bool(doubts(system)), times.response_s, formula["response_s"], times.disk_s, formula["disk_s"],
        ])  # fmt: skip
    return {"systems": rows}


def drawn(rng: np.random.Generator) -> System:
    """A random system whose caches hold all pages, with the fitted costs."""
    options = StorageOptions(
        pages=_logarithmic(rng, PAGES), client_threads=int(rng.choice((1, 2, 4, 8, 16, 32))),
        client_rate=float(np.exp(rng.uniform(*np.log(RATES)))), request_bytes=int(rng.choice((128, 4096, 65_536))),
        operation=str(rng.choice((READ, READ_MODIFY_WRITE))), disks=int(rng.choice((1, 2, 8, 32))),
        mapping=str(rng.choice((RANDOM, BLOCK, ROUND_ROBIN))),
    )  # fmt: skip
    threads = int(rng.choice((1, 2, 4, 16, 64)))
    return System(options, read_costs()[0], _logarithmic(rng, PROCESSES), threads, _logarithmic(rng, REQUESTS))


def _logarithmic(rng: np.random.Generator, limits: tuple[int, int]) -> int:
    return int(np.exp(rng.uniform(*np.log(limits))))


def render(results: dict) -> Rendered:
    """Errors of both times, with few requests and without."""
    systems, rows = results["fluid-limit"]["systems"], []
    for doubted, name in GROUPS.items():
        times = np.array([row[7:] for row in systems if row[6] == doubted], float).reshape(-1, 4)
        for place, what in ((0, "response"), (2, "HDD time")):
            errors = 100.0 * np.abs(times[:, place + 1] / times[:, place] - 1.0)
            if errors.size:
                rows.append((name, what, errors.size, *np.percentile(errors, (50, 90, 100)).round(1).tolist()))
    note = (
        "Random systems: {} to {} processes, {:,} to {:,} pages, {} to {:,} requests, {:g} to {:g} requests/s of a "
        "client thread, readers and writers of 128 B to 64 KiB, 1 to 32 disks, caches that hold all pages."
    ).format(*PROCESSES, *PAGES, *REQUESTS, *RATES)
    header = ("systems with", "time", "systems", "median %", "90th percentile %", "greatest %")
    title = "Times of the whole system by the fluid limit, absolute error beside the simulation"
    return Rendered(tables=[Table("fluid-limit", title, header, rows, note, data=(NAMES, systems))])
