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
    """Raise `InputError` if runs of the scenario cannot be explained."""
    import_module(scenario.explained).check(scenario)


def explanation(env: ControlEnv, windows: int, seed: int) -> Explanation:
    """The explanation of a run, with a progress bar on standard error."""
    module = import_module(env.scenario.explained)
    with progress(desc="explain", total=module.steps(env.scenario, windows), unit="step") as bar:
        return module.explain(env, windows, seed, bar.update)


def print_explanation(explained: Explanation, windows: int, measures: Sequence[str]) -> None:
    """Print time by station, use of stations, the limiting station, and the parameters that move the result.

    Args:
        explained: the explanation.
        windows, measures: as in `explanation_notes`.
    """
    print()
    place = "" if explained.windows >= windows else f" (first {explained.windows:,} windows)"
    for name, time in explained.time.items():
        rows = [(station, *vars(share).values()) for station, share in time.stations.items()]
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
        (move.measure, f"{move.parameter} [{move.unit}]" if move.unit else move.parameter, move.value, move.low,
         move.high, move.measured, move.measured_low, move.measured_high, move.elasticity and round(move.elasticity, 3))
        for move in explained.moves
    ]  # fmt: skip
    print_table(rows, header)
    for note in explanation_notes(explained, windows, measures):
        print_text(note)


def explanation_notes(explained: Explanation, windows: int, measures: Sequence[str]) -> list[str]:
    """Notes below the tables: the windows they are from, and measures with fewer listed parameters than the others.

    Args:
        explained: the explanation.
        windows: number of windows of the run.
        measures: names of all measures that the explanation compares.
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
        count = sum(move.measure == name for move in explained.moves)
        if count < MOST:
            subject = f"only {count} move{'s' if count == 1 else ''}" if count else "none moves"
            notes.append(
                f"{name}: {subject} this median; a parameter is left out too where an end of its range is refused"
            )
    return notes


def _first(count: int, windows: int) -> str:
    """Text for the first `count` of `windows` windows."""
    return f"all {windows:,} windows" if count >= windows else f"the first {count:,} of {windows:,} windows"
