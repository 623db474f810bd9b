"""Options of an evaluation, with defaults; the command line, files and `EvaluationPlan` share them."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.options import Options, option

MOST_STEPS, MOST_SEEDS = 10**8, 10_000
ON, FROZEN = "on", "frozen"
SCHEDULES = ("order", "random")


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions(Options):
    """Policies to compare, and size of the comparison; `EvaluationPlan` checks them against the scenario.

    `{context}` and `{contexts}` in help are the scenario's nouns.
    """

    policies: tuple[str, ...] = option(
        help="policies: NAME[:OPTIONS] (pmtwin list policies), FILE.py:Class[:OPTIONS] or package.module:Class; "
        "by decision point: POINT=SPEC+POINT=SPEC",
        separator=" ",
        metavar="SPEC",
    )
    schedule: str = option(SCHEDULES[1], "order of the {contexts}: order or random", choices=SCHEDULES, metavar="KIND")
    steps: int = option(4000, "windows per run", low=1, high=MOST_STEPS, metavar="N")
    warmup_windows: int = option(
        0, "windows at the start of each run that do not count: policies decide and learn in them", low=0,
        high=MOST_STEPS - 1, metavar="N",
    )  # fmt: skip
    context_steps: int = option(200, "windows per {context}", low=1, high=MOST_STEPS, metavar="N")
    contexts: tuple[int | str, ...] = option(
        (), "{contexts} of the schedule (default: those kept aside from training, or all)"
    )
    learning: str = option(
        ON, "learning inside the simulation: on, or frozen as trained", choices=(ON, FROZEN), metavar="NAME"
    )
    seeds: int = option(10, "number of runs of each policy, with different seeds", low=1, high=MOST_SEEDS, metavar="N")
