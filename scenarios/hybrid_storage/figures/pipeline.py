"""Steps of `pmtwin figures hybrid-storage`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pmtwin.figures.registry import Entry
from pmtwin.loop.baselines import PIPELINE as BASELINES
from pmtwin.pipeline.step import Setting, Step, Work
from pmtwin.scenarios.hybrid_storage.figures.campaign import FULL, QUICK
from pmtwin.scenarios.hybrid_storage.figures.experiments import fitting, learning, storages, sweeps, winners

GROUP = "Hybrid storage"
PLOTS = "pmtwin.scenarios.hybrid_storage.figures.plots"


def _entry(name: str, title: str, place: str, steps: tuple[str, ...], function: str) -> Entry:
    return Entry(name, title, place, steps, f"{PLOTS}.{function}", GROUP)


def _step(name: str, title: str, module: str, seconds: float, compute: Callable[[Work], dict], *settings: str) -> Step:
    """A step whose usual seconds are those of one seed on two processes."""
    return Step(name, title, (), ("seeds", *settings), module, _no_windows, seconds, True, compute)


def _no_windows(setting: Setting) -> int:
    return 0


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
            _step(
                config, f"simulate: the traces on {config}", storages.__name__, 45.0,
                partial(storages.traces, config=config), "length",
            )
            for config in (*BOTH, storages.PMEM)
        ),
        _step("learning", "simulate: Harmonia from its first request on", learning.__name__, 5.0, learning.compute),
        _step("mixes", "simulate: the mixes", storages.__name__, 35.0, storages.mixes, "length"),
        _step("several", "simulate: three and four devices", storages.__name__, 25.0, storages.several, "length"),
        _step("settings", "simulate: Harmonia by queue and n", sweeps.__name__, 20.0, sweeps.settings, "length"),
        _step(
            "sensitivity", "simulate: Harmonia with one thing changed at a time", sweeps.__name__, 60.0,
            sweeps.sensitivity, "length",
        ),
        _step("map", "simulate: policies over skew, drift, capacity, think time", winners.__name__, 60.0,
              winners.compute, "grid_length"),
        Step(
            "fit", "simulate: Sibyl over skew and capacity", (), ("grid_length",), fitting.__name__, _no_windows, 60.0,
            True, fitting.grid,
        ),
        Step(
            "fitted", "simulate: all policies with the fitted skew and capacity", ("fit",), ("seeds", "grid_length"),
            fitting.__name__, _no_windows, 30.0, True, fitting.predictions,
        ),
    ),
    quick=QUICK,
    full=FULL,
)  # fmt: skip
