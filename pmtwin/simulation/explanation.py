"""`pmtwin simulate --explain`: where the time of requests goes, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from pmtwin.console.output import print_table, print_text
from pmtwin.console.progress import progress

if TYPE_CHECKING:
    from pmtwin.scenarios.environments.environment import ControlEnv
    from pmtwin.scenarios.scenario import Scenario
    from pmtwin.scenarios.simulation.explanation import Explanation


def check_explained(scenario: Scenario) -> None:
    """Raise `InputError` for what cannot be explained, before anything runs."""
    import_module(scenario.explained).check(scenario)


def explanation(env: ControlEnv, windows: int, seed: int) -> Explanation:
    """The explanation of a run, with its progress on standard error."""
    module = import_module(env.scenario.explained)
    with progress(desc="explain", total=module.steps(env.scenario, windows), unit="step") as bar:
        return module.explain(env, windows, seed, bar.update)


def print_explanation(explained: Explanation, windows: int, measures: Sequence[str]) -> None:
    """Time by station, use of the stations, what limits, what moves the result; arguments: of `explanation_notes`."""
    print()
    place = "" if explained.windows >= windows else f" (first {explained.windows:,} windows)"
    for name, time in explained.time.items():
        rows = [(station, *vars(each).values()) for station, each in time.stations.items()]
        rows.append(("latency", time.mean_us, 100.0, time.slowest_us, 100.0))
        heading = (f"{name}: time at{place}", "mean us", "%", "slowest 1 %: us", "%")
        print_table([(row[0], *(round(value, 2) for value in row[1:])) for row in rows], heading)
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
    for note in explanation_notes(explained, windows, measures):
        print_text(note)


def explanation_notes(explained: Explanation, windows: int, measures: Sequence[str]) -> list[str]:
    """What the tables rest on, and measures of which fewer parameters are listed than of others.

    Args:
        windows: of the run. measures: all that the run compares.
    """
    from pmtwin.scenarios.simulation.moves import MOST

    traced, moved = (_first(count, windows) for count in (explained.windows, explained.moved_windows))
    notes = [f"time and use: {traced}"]
    notes.append(
        f"moved by: each parameter alone goes to both ends of its range (low, high), with the same seed; measured, at "
        f"low, at high: medians over {moved} with the present value and with the ends; % per %: elasticity, % of the "
        f"measure per % of the parameter. Listed are the {MOST} that move a measure most."
    )
    for name in measures:
        count = sum(each.measure == name for each in explained.moves)
        if count < MOST:
            what = f"only {count} move{'s' if count == 1 else ''}" if count else "none moves"
            notes.append(
                f"{name}: {what} this median; a parameter is left out too where an end of its range is refused"
            )
    return notes


def _first(count: int, windows: int) -> str:
    """Windows of the run, in words."""
    return f"all {windows:,} windows" if count >= windows else f"the first {count:,} of {windows:,} windows"
