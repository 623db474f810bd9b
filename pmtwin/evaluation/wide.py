"""Notes on intervals of an evaluation that are too wide to be useful, and on the cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pmtwin.console.output import WIDE, is_wide
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.device.intervals import WIDEST_FACTOR


def wide_names(part: Mapping, names: Iterable[str]) -> str | None:
    """Names of the measures with such an interval in a part of the result."""
    wide = [name for name in names if is_wide(part[name])]
    return f"{WIDE}: {', '.join(wide)}" if wide else None


def wide_note(result: Mapping, scenario: Scenario, details: bool = False) -> str:
    """Note on the meaning and cause of `WIDE`; empty if no interval is too wide.

    Args:
        details: whether the tables for each context and the tails are shown.
    """
    plural = scenario.contexts.plural
    policies = result["policies"].values()
    parts = [part for policy in policies for part in (policy["overall"], *(policy[plural].values() if details else ()))]
    entries = [part[measure.name] for part in parts for measure in scenario.compared]
    if details and scenario.request_classes:
        tails = (policy["overall"]["latency"].values() for policy in policies)
        entries += [entry for tail in tails for entry in tail if isinstance(entry, Mapping)]
    if not any(map(is_wide, entries)):
        return ""
    note = f"{WIDE}: the high end of an interval is more than {WIDEST_FACTOR:g} times the low one"
    plan = result["configuration"]
    met = [part["runs"] for policy in policies for part in policy[plural].values()]
    if min(met) == max(policy["overall"]["runs"] for policy in policies):
        return note
    steps = plan[f"{scenario.contexts.noun}_steps"] * len(plan[plural])
    return f"{note}; the runs met different {plural}: with --steps {steps} or more each meets all"
