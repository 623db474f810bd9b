"""Steps of `pmtwin figures hybrid-storage`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pmtwin.figures.registry import Entry
from pmtwin.loop.baselines import PIPELINE as BASELINES
from pmtwin.pipeline.step import Step, Work
from pmtwin.scenarios.hybrid_storage.figures.campaign import FULL, QUICK, HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.experiments import fitting, learning, storages, sweeps, winners
from pmtwin.scenarios.hybrid_storage.figures.experiments.runs import Cases, of_campaign, requests_of_campaign

GROUP = "Hybrid storage"
PLOTS = "pmtwin.scenarios.hybrid_storage.figures.plots"

WINDOW = 1000
"""Requests of a run that count as a window."""

WINDOW_S = 0.01
"""Seconds of 1,000 requests on one core, mean over the policies; those of the steps are 0.004 to 0.06."""

Requests = Callable[[HybridCampaign], int]
"""Requests of all runs of a step."""


def _entry(name: str, title: str, place: str, steps: tuple[str, ...], function: str) -> Entry:
    return Entry(name, title, place, steps, f"{PLOTS}.{function}", GROUP)


def _step(
    name: str, title: str, module: str, compute: Callable[[Work], dict], requests: Requests, settings: tuple[str, ...],
    needs: tuple[str, ...] = (),
) -> Step:  # fmt: skip
    """A step whose windows are those of all its runs."""
    return Step(
        name, f"simulate: {title}", needs, settings, module,
        lambda setting: requests(setting.campaign) // WINDOW, 0.0, True, compute, window_s=WINDOW_S,
    )  # fmt: skip


def _step_of_cases(name: str, title: str, module: str, cases: Cases) -> Step:
    """A step that runs cases."""
    compute, requests = partial(of_campaign, cases=cases), partial(requests_of_campaign, cases=cases)
    return _step(name, title, module, compute, requests, ("seeds", "length"))


BOTH = (storages.PERF, storages.COST)
PIPELINE = replace(
    BASELINES,
    title="Hybrid storage",
    entries=(
        _entry("3", "Prior policies", "Figure 3, section 3.4", BOTH, "storages:render_3"),
        _entry("7", "Loss while learning", "Figure 7, section 4.5", ("learning",), "learning:render"),
        _entry("8", "Mean latency", "Figure 8, section 6.1", BOTH, "storages:render_8"),
        _entry("9", "Throughput", "Figure 9, section 6.1", BOTH, "storages:render_9"),
        _entry("10", "Tail latencies", "Figure 10, section 6.1", (storages.PERF,), "storages:render_10"),
        _entry("11", "Queue and reward", "Figure 11, section 6.1", ("settings",), "sweeps:render_11"),
        _entry("12", "Persistent memory", "Figure 12, section 6.1", (storages.PMEM,), "storages:render_12"),
        _entry("13", "Mixes of workloads", "Figure 13, section 6.2", ("mixes",), "storages:render_13"),
        _entry("14", "Three and four devices", "Figure 14, section 6.3", ("several",), "storages:render_14"),
        _entry("15", "Write amplification", "Figure 15, section 6.4", BOTH, "storages:render_15"),
        _entry("16", "Moves by direction", "Figure 16, section 6.4", BOTH, "storages:render_16"),
        _entry("map", "Where which policy wins", "beyond the paper", ("map",), "winners:render"),
        _entry("calibration", "Skew and capacity that fit", "beyond the paper", ("fit", "fitted"), "fitting:render"),
        _entry(
            "sensitivity", "What the paper leaves open", "beyond the paper", ("sensitivity",),
            "sweeps:render_sensitivity",
        ),
    ),
    steps=(
        *(
            _step_of_cases(config, f"the traces on {config}", storages.__name__, partial(storages.traces, config))
            for config in (*BOTH, storages.PMEM)
        ),
        _step(
            "learning", "Harmonia from its first request on", learning.__name__, learning.compute, learning.requests,
            ("seeds",),
        ),
        _step_of_cases("mixes", "the mixes", storages.__name__, storages.mixes),
        _step_of_cases("several", "three and four devices", storages.__name__, storages.several),
        _step_of_cases("settings", "Harmonia by queue and n", sweeps.__name__, sweeps.settings),
        _step_of_cases(
            "sensitivity", "Harmonia with one thing changed at a time", sweeps.__name__, sweeps.sensitivity
        ),
        _step(
            "map", "policies over skew, drift, capacity, think time", winners.__name__, winners.compute,
            winners.requests, ("seeds", "grid_length"),
        ),
        _step(
            "fit", "Sibyl over skew and capacity", fitting.__name__, fitting.grid, fitting.grid_requests,
            ("grid_length",),
        ),
        _step(
            "fitted", "all policies with the fitted skew and capacity", fitting.__name__, fitting.predictions,
            fitting.fitted_requests, ("seeds", "grid_length"), ("fit",),
        ),
    ),
    quick=QUICK,
    full=FULL,
)  # fmt: skip
