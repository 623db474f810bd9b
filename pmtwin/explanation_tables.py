"""`pmtwin simulate --explain`: where the time of requests goes, as tables."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pmtwin.output import print_table, print_text
from pmtwin.progress import progress

if TYPE_CHECKING:
    from pmtwin.commands.simulate import Config
    from pmtwin.scenarios.explanation import Explanation


def check_explained(config: Config) -> None:
    """Raise `InputError` for what cannot be explained, before anything runs."""
    import_module(config.scenario.explained).check(config.scenario)


def explanation(config: Config) -> Explanation:
    """The explanation of a run, with its progress on standard error."""
    module = import_module(config.scenario.explained)
    total = module.steps(config.scenario, config.windows)
    with progress(desc="explain", total=total, unit="step") as bar:
        return module.explain(config.environment(), config.windows, config.seed, bar.update)


def print_explanation(explained: Explanation) -> None:
    """Time by station, use of the stations, what limits, what moves the result."""
    print()
    for name, time in explained.time.items():
        rows = [(station, *vars(each).values()) for station, each in time.stations.items()]
        rows.append(("latency", time.mean_us, 100.0, time.slowest_us, 100.0))
        header = (f"{name}: time at", "mean us", "%", "slowest 1 %: us", "%")
        print_table([(row[0], *(round(value, 2) for value in row[1:])) for row in rows], header)
        print()
    uses = [(name, round(use.percent, 1), use.meaning) for name, use in explained.use.items()]
    print_table(uses, ("use", "%", "of it"))
    print()
    print_text(f"limits: {explained.limits} ({explained.because})")
    print()
    header = ("measure", "moved by", "value", "low", "high", "measured", "at low", "at high", "% per %")
    rows = [
        (each.measure, f"{each.parameter} [{each.unit}]" if each.unit else each.parameter, each.value, each.low,
         each.high, each.measured, each.measured_low, each.measured_high, each.elasticity and round(each.elasticity, 3))
        for each in explained.moves
    ]  # fmt: skip
    print_table(rows, header)
    print_text(
        f"time and use: {explained.windows} windows; low, high: range of the parameter; at low, at high: the measure "
        "there; % per %: elasticity, % of the measure per % of the parameter"
    )
