"""One verdict, with its reasons, on what the medium can prove."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pmtwin.sim.common.number_forms import percentage
from pmtwin.sim.numerics.statistics import FEWEST
from pmtwin.validation.cautions import all_missed, cautions
from pmtwin.validation.criteria import Criterion, criteria, key_figures
from pmtwin.validation.measured import measured_side
from pmtwin.validation.tolerances import Tolerances

PASSES, FAILS, UNDECIDED = "passes", "fails", "undecided"


def verdict(compared: Mapping, tolerances: Tolerances, warnings: Sequence[str] = ()) -> dict:
    """The verdict on a comparison.

    Args:
        compared: of `comparison.compare`.
        tolerances: what passes, on which medium.
        warnings: what is known besides, of how it was run.

    Returns:
        `name`: what the medium calls it, or that with "not" before it; `headline`: the name, what speaks against it,
        and whether both sides miss the service level everywhere, in a line; `outcome`: the worst of the checks; the
        numbers of `criteria.key_figures`; `passed`: whether all pass; `medium`; `scope`: what was shown; `checks`: each
        `what`, `found`, `low`, `high` (interval over seeds, if it is an estimate and no count of this very run),
        `allowed` (percent), `outcome`: `PASSES` if the whole interval is allowed, `FAILS` if none of it is, or else
        `UNDECIDED`, as without one (too few seeds); `reasons`: sentences; `warnings`: sentences; `tolerances`.
    """
    scenario = tolerances.scenario
    checks = [_check(asked, asked.allowed) for asked in criteria(compared, tolerances) if asked.allowed is not None]
    outcomes = {check["outcome"] for check in checks}
    outcome = next((rank for rank in (FAILS, UNDECIDED) if rank in outcomes), PASSES)
    medium = measured_side(scenario).media[tolerances.medium]
    name = medium.verdict
    name = name if outcome == PASSES else f"not {name}"
    return {
        "name": name,
        "headline": _headline(name, checks) + (f"; {missed}" if (missed := all_missed(compared)) else ""),
        "outcome": outcome,
        "passed": outcome == PASSES,
        **key_figures(scenario, compared, tolerances.values),
        "medium": tolerances.medium,
        "scope": medium.scope,
        "checks": checks,
        "reasons": [_sentence(check) for check in checks],
        "warnings": [*warnings, *cautions(scenario, compared, tolerances.values)],
        "tolerances": tolerances.values,
    }


def _headline(name: str, checks: Sequence[Mapping]) -> str:
    """What fails before what is undecided; what passes needs no words."""
    against = [check for outcome in (FAILS, UNDECIDED) for check in checks if check["outcome"] == outcome]
    told = [
        f"{check['what']} {percentage(check['found'])} % (at most {check['allowed']:g} %"
        + (", undecided: more seeds)" if check["outcome"] == UNDECIDED else ")")
        for check in against
    ]
    return f"{name}: {'; '.join(told)}" if told else f"{name}: all {len(checks)} checks pass"


def _check(asked: Criterion, allowed: float) -> dict:
    low, high = asked.ends or (None, None)
    if low is None or high is None:
        outcome = UNDECIDED
    else:
        outcome = PASSES if _within(high, allowed) else UNDECIDED if _within(low, allowed) else FAILS
    values = {"what": asked.what, "found": float(asked.value), "low": low, "high": high, "allowed": allowed}
    return values | {"outcome": outcome, "passed": outcome == PASSES}


def _within(value: float, allowed: float) -> bool:
    """Rounding does not decide: 100 (1.05 - 1) is 5.000000000000004."""
    return value <= allowed or math.isclose(value, allowed, rel_tol=1e-9)


def _sentence(check: Mapping) -> str:
    told = f"{check['what']}: {percentage(check['found'])} %"
    if check["low"] is None:
        few = f"fewer than {FEWEST} seeds: no interval"
        return f"{told} ({few}), allowed {check['allowed']:g} %: undecided, more seeds are needed"
    if check["high"] > check["low"]:
        told += f" [{percentage(check['low'])}, {percentage(check['high'])}]"
    ends = {
        PASSES: "within {:g} %",
        FAILS: "beyond {:g} %",
        UNDECIDED: "allowed {:g} %: undecided, more seeds are needed",
    }
    return f"{told}, {ends[check['outcome']].format(check['allowed'])}"
