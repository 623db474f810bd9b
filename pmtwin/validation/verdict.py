"""The verdict on a comparison, with its reasons, within what the medium can prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmtwin.sim.common.number_forms import percentage
from pmtwin.sim.numerics.statistics import FEWEST
from pmtwin.validation.cautions import all_missed, cautions
from pmtwin.validation.criteria import FAILS, PASSES, UNDECIDED, Criterion, criteria, key_figures, outcome
from pmtwin.validation.measured import measured_side
from pmtwin.validation.tolerances import Tolerances


def verdict(
    compared: Mapping, tolerances: Tolerances, warnings: Sequence[str] = (), further: Sequence[Criterion] = ()
) -> dict:
    """The verdict on a comparison.

    Args:
        compared: result of `comparison.compare`.
        tolerances: limits, and the medium.
        warnings: sentences about how the real system was run.
        further: criteria of the real system's own.

    Returns:
        `name`: the medium's name of the verdict, after "not" if a check fails; `headline`: one line with the name, the
            checks that do not pass, and whether both sides always miss the service level; `outcome`: the worst outcome
            of the checks; `passed`: whether all checks pass; the numbers of `criteria.key_figures`; `medium`; `scope`:
            what the verdict shows; `checks`: for each check `what`, `found`, `low`, `high` (interval over seeds; equal
            to `found` for a count), `allowed` (percent) and `outcome`; `reasons`, `warnings`: sentences; `tolerances`.

    The outcome of a check is `PASSES` if the whole interval is allowed, `FAILS` if no part of the interval is, else
    `UNDECIDED`; without an interval (too few seeds) it is `UNDECIDED`.
    """
    scenario = tolerances.scenario
    asked = [*criteria(compared, tolerances), *further]
    checks = [_check(each, each.allowed) for each in asked if each.allowed is not None]
    outcomes = {check["outcome"] for check in checks}
    worst = next((rank for rank in (FAILS, UNDECIDED) if rank in outcomes), PASSES)
    medium = measured_side(scenario).media[tolerances.medium]
    name = medium.verdict
    name = name if worst == PASSES else f"not {name}"
    return {
        "name": name,
        "headline": _headline(name, checks) + (f"; {missed}" if (missed := all_missed(compared)) else ""),
        "outcome": worst,
        "passed": worst == PASSES,
        **key_figures(scenario, compared, tolerances.values),
        "medium": tolerances.medium,
        "scope": medium.shows(worst == PASSES),
        "checks": checks,
        "reasons": [_sentence(check) for check in checks],
        "warnings": [*warnings, *cautions(scenario, compared, tolerances.values)],
        "tolerances": tolerances.values,
    }


def _headline(name: str, checks: Sequence[Mapping]) -> str:
    """The name, with the failed checks and then the undecided ones; passed checks are not listed."""
    against = [check for rank in (FAILS, UNDECIDED) for check in checks if check["outcome"] == rank]
    objections = [
        f"{check['what']} {percentage(check['found'])} % (at most {check['allowed']:g} %"
        + (", undecided: more seeds)" if check["outcome"] == UNDECIDED else ")")
        for check in against
    ]
    return f"{name}: {'; '.join(objections)}" if objections else f"{name}: all {len(checks)} checks pass"


def _check(asked: Criterion, allowed: float) -> dict:
    low, high = asked.ends or (None, None)
    decision = outcome(asked.ends, allowed)
    values = {"what": asked.what, "found": float(asked.value), "low": low, "high": high, "allowed": allowed}
    return values | {"outcome": decision, "passed": decision == PASSES}


def _sentence(check: Mapping) -> str:
    sentence = f"{check['what']}: {percentage(check['found'])} %"
    if check["low"] is None:
        few = f"fewer than {FEWEST} seeds: no interval"
        return f"{sentence} ({few}), allowed {check['allowed']:g} %: undecided, more seeds are needed"
    if check["high"] > check["low"]:
        sentence += f" [{percentage(check['low'])}, {percentage(check['high'])}]"
    ends = {
        PASSES: "within {:g} %",
        FAILS: "beyond {:g} %",
        UNDECIDED: "allowed {:g} %: undecided, more seeds are needed",
    }
    return f"{sentence}, {ends[check['outcome']].format(check['allowed'])}"
