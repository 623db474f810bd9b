"""The plan of a sweep: options of `pmtwin train` that all runs share, and lists of values of the varied options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.files.table_file import read_table

VARY = "vary"
FORM = "TOML or JSON: options of pmtwin train, and a table [vary] of lists"
MOST_RUNS = 10_000
RESERVED = ("output", "command", "checkpoint_dir", "jobs", "backend", "scheduler")
"""Options that the sweep itself sets."""


@dataclass(frozen=True)
class SweepPlan:
    """Content of a plan file.

    Args:
        shared: option -> value, for all runs.
        vary: option -> values; each combination is one run.
    """

    shared: dict[str, object]
    vary: dict[str, list]

    def runs(self) -> dict[str, dict[str, object]]:
        """Name of a run -> values of the varied options, in the order of the lists, the last option fastest.

        Names consist of positions in the lists ("seed-0_host-2"), so that any values give a valid name of a folder.
        """
        positions = product(*(range(len(values)) for values in self.vary.values()))
        return {
            "_".join(f"{name}-{place}" for name, place in zip(self.vary, places, strict=True)): {
                name: values[place] for (name, values), place in zip(self.vary.items(), places, strict=True)
            }
            for places in positions
        }

    def arguments(self, values: Mapping[str, object]) -> dict[str, object]:
        """The options of one run, as in a file for `pmtwin train --config`."""
        return {"command": "train", **self.shared, **values}


def read_plan(path: Path) -> SweepPlan:
    """The plan in a file.

    Raises:
        InputError: if the file does not exist, has no table of lists, an empty list, an option twice, an option that
            the sweep sets, no scenario, or more than `MOST_RUNS` combinations.
    """
    content = dict(read_table(path, "plan", FORM))
    vary, where = content.pop(VARY, None), str(path)
    if not (isinstance(vary, dict) and vary):
        raise InputError(VARY, vary, "a table of lists, as seed = [0, 1, 2]", where)
    for name, values in vary.items():
        if not (isinstance(values, list) and values):
            raise InputError(f"{VARY}.{name}", values, "a list of at least one value", where)
        if name in content:
            raise InputError(name, content[name], f"one value for all runs, or a list in [{VARY}], not both", where)
    for name in (*content, *vary):
        if name in RESERVED:
            raise ConflictError(name, content.get(name, vary.get(name)), "is set by the sweep; remove it", where)
    if not any("scenario" in options for options in (content, vary)):
        raise InputError("scenario", None, "the name of a scenario (pmtwin list scenarios)", where)
    plan = SweepPlan(content, vary)
    count = len(plan.runs())
    if count > MOST_RUNS:
        raise InputError(VARY, count, f"at most {MOST_RUNS} combinations", where)
    return plan
