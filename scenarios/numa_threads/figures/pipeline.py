"""Steps of `pmtwin figures numa-threads`."""

from __future__ import annotations

from dataclasses import replace

from pmtwin.figures.registry import Entry
from pmtwin.loop.baselines import PIPELINE as BASELINES
from pmtwin.pipeline.step import Step
from pmtwin.scenarios.numa_threads.figures.campaign import FULL, QUICK
from pmtwin.scenarios.numa_threads.figures.experiments import (
    best_cores,
    bounds,
    culprits,
    far_controls,
    far_threads,
    programs,
    regret,
)

GROUP = "Threads on a NUMA machine"


def _entry(name: str, title: str, place: str, step: str, function: str) -> Entry:
    return Entry(name, title, place, (step,), f"pmtwin.scenarios.numa_threads.figures.plots.{function}", GROUP)


PIPELINE = replace(
    BASELINES,
    title="Threads on a NUMA machine",
    entries=(
        _entry("table-1", "Times by the share of remote accesses", "Table 1", "far-threads", "table_1:render"),
        _entry("controls", "Table 1 by assumption", "Table 1", "far-controls", "far_controls:render"),
        _entry("times", "Times of the four patterns", "Figure 6, section 9.2.1", "programs", "times:render_times"),
        _entry("p99", "p99 of operations", "section 9.2.2", "programs", "times:render_p99"),
        _entry("mixes", "Times of mixtures", "section 10", "programs", "times:render_mixes"),
        _entry("ucb", "Confidence bounds of two actions", "Figure 7, section 9.3", "bounds", "bounds:render"),
        _entry("culprits", "What decides whether Smart Scheduler fails", "section 10", "culprits", "culprits:render"),
        _entry("regret", "Regret over time", "beyond the paper", "regret", "regret:render"),
        _entry("map", "Best logical cores near and far", "beyond the paper", "best-cores", "best_cores:render"),
    ),
    steps=(
        Step(
            "programs", "simulate: programs under Linux, the rule and Smart Scheduler", (), ("seeds", "samples"),
            programs.__name__, lambda setting: 0, 270.0, True, programs.compute,
        ),
        Step(
            "far-threads", "simulate: programs with threads far from their data", (), ("seeds", "far_samples"),
            far_threads.__name__, lambda setting: 0, 25.0, True, far_threads.compute,
        ),
        Step(
            "far-controls", "mean values: the same programs with one thing assumed otherwise at a time", (), (),
            far_controls.__name__, lambda setting: 0, 15.0, True, far_controls.compute,
        ),
        Step(
            "bounds", "simulate: confidence bounds of Smart Scheduler", (), ("seeds",), bounds.__name__,
            lambda setting: 0, 30.0, True, bounds.compute,
        ),
        Step(
            "culprits", "simulate: Smart Scheduler with one thing changed at a time", (), (), culprits.__name__,
            lambda setting: 0, 120.0, True, culprits.compute,
        ),
        Step(
            "regret", "evaluate: policies over time on a mixture and on changing workloads", (), ("regret_seeds",),
            regret.__name__, lambda setting: 0, 200.0, True, regret.compute,
        ),
        Step(
            "best-cores", "formulas: the best cores of many workloads", (), (), best_cores.__name__,
            lambda setting: 0, 90.0, True, best_cores.compute,
        ),
    ),
    quick=QUICK,
    full=FULL,
)  # fmt: skip
