"""One verdict, with its reasons, on what the medium can prove."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pmtwin.scenarios.scenario import Scenario
from pmtwin.validation.cautions import cautions
from pmtwin.validation.comparison import PATHS, fixed_group
from pmtwin.validation.measured import judged_measures, measured_side
from pmtwin.validation.tolerances import (
    BEST_LOSS,
    DOUBTED_SHARE,
    KINDS,
    LITTLE_SHARE,
    TRANSFER_LOSS,
    Tolerances,
    name_of,
)

PASSES, FAILS, UNDECIDED = "passes", "fails", "undecided"


def verdict(compared: Mapping, tolerances: Tolerances, warnings: Sequence[str] = ()) -> dict:
    """The verdict on a comparison.

    Args:
        compared: of `comparison.compare`.
        tolerances: what passes, on which medium.
        warnings: what is known besides, of how it was run.

    Returns:
        `name`: what the medium calls it, or that with "not" before it, or "undecided"; `outcome`: the worst of the
        checks; `passed`: whether all pass; `medium`; `scope`: what was shown; `checks`: each `what`, `found`, `low`,
        `high` (interval over seeds, if it is an estimate and no count of this very run), `allowed` (percent),
        `outcome`: `PASSES` if the whole interval is allowed, `FAILS` if none of it is, or else `UNDECIDED`, as without
        one (a single seed); `reasons`: sentences; `warnings`: sentences; `tolerances`.
    """
    scenario = tolerances.scenario
    checks = [_check(asked) for asked in _asked(scenario, compared, tolerances.values) if asked.allowed is not None]
    outcomes = {check["outcome"] for check in checks}
    outcome = next((one for one in (FAILS, UNDECIDED) if one in outcomes), PASSES)
    medium = measured_side(scenario).media[tolerances.medium]
    name = medium.verdict
    names = {PASSES: name, FAILS: f"not {name}", UNDECIDED: f"undecided {name[name.index('(') :]}"}
    return {
        "name": names[outcome],
        "outcome": outcome,
        "passed": outcome == PASSES,
        "medium": tolerances.medium,
        "scope": medium.scope,
        "checks": checks,
        "reasons": [_sentence(check) for check in checks],
        "warnings": [*warnings, *cautions(scenario, compared, tolerances.values)],
        "tolerances": tolerances.values,
    }


class Asked(NamedTuple):
    """What is asked: in words, what it is with its interval (None: a single seed), and what passes (None: anything)."""

    what: str
    value: float
    ends: Sequence[float] | None
    allowed: float | None


def _asked(scenario: type[Scenario], compared: Mapping, limits: Mapping[str, float | None]) -> list[Asked]:
    system, windows = measured_side(scenario).system, max(compared["windows"], 1)
    asked = [*_errors(scenario, compared, limits), *_loss(scenario, compared, limits)]
    if compared["little"]["windows"]:
        share = 100.0 * compared["little"]["departing"] / compared["little"]["windows"]
        asked.append(Asked("windows that depart from Little's law", share, [share, share], limits[LITTLE_SHARE]))
    doubted = 100.0 * sum(compared["doubts"].values()) / windows
    asked.append(Asked(f"windows that the {system} doubts", doubted, [doubted, doubted], limits[DOUBTED_SHARE]))
    return asked + [
        Asked(
            f"{one['workload']}: {one['decided_by']} that the policy loses to {fixed_group(scenario)}",
            one["loss_percent"],
            _transfer_interval(one),
            limits[TRANSFER_LOSS],
        )
        for one in compared.get("transfer", ())
    ]


def _errors(scenario: type[Scenario], compared: Mapping, limits: Mapping[str, float | None]) -> Iterator[Asked]:
    """Of groups apart; a policy that is there for a transfer is asked for that alone."""
    for group, where in {fixed_group(scenario): "", PATHS: " along policies' own paths"}.items():
        for measure in judged_measures(scenario):
            of = compared["errors"].get(group, {}).get(measure.name)
            if of and of["missing"]:
                share = 100.0 * of["missing"] / (of["entries"] + of["missing"])
                yield Asked(f"cases without any measured {measure.short}{where}", share, [share, share], 0.0)
            for kind in KINDS if of and of["entries"] else ():
                what, field = f"{kind} error of {measure.short}{where}", f"{kind}_percent"
                yield Asked(what, of[field], of["intervals"][field], limits[name_of(measure, kind)])


def _loss(scenario: type[Scenario], compared: Mapping, limits: Mapping[str, float | None]) -> Iterator[Asked]:
    """Of the leading judged measure."""
    for lead in judged_measures(scenario)[:1]:
        losses = [one for one in compared["best"] if one["measure"] == lead.name]
        if losses:
            worst = max(losses, key=lambda one: (one["loss_interval"] or [0, one["loss_percent"]])[1])
            what = f"loss of {lead.short} by the twin's best {scenario.settings.noun}"
            yield Asked(what, worst["loss_percent"], worst["loss_interval"], limits[BEST_LOSS])


def _transfer_interval(one: Mapping) -> list[float] | None:
    """Of the loss; a median of rewards is compared as it is."""
    if one["ratio"] is None:
        return [one["loss_percent"]] * 2
    ends = one["ratio"]["high"], one["ratio"]["low"]
    return None if None in ends else [100.0 * (1.0 - end) for end in ends]


def _check(asked: Asked) -> dict:
    low, high = asked.ends or (None, None)
    if low is None:
        outcome = UNDECIDED
    else:
        outcome = PASSES if _within(high, asked.allowed) else UNDECIDED if _within(low, asked.allowed) else FAILS
    values = {"what": asked.what, "found": float(asked.value), "low": low, "high": high, "allowed": asked.allowed}
    return values | {"outcome": outcome, "passed": outcome == PASSES}


def _within(value: float, allowed: float) -> bool:
    """Rounding does not decide: 100 (1.05 - 1) is 5.000000000000004."""
    return value <= allowed or math.isclose(value, allowed, rel_tol=1e-9)


def _sentence(check: Mapping) -> str:
    told = f"{check['what']}: {check['found']:.2f} %"
    if check["low"] is None:
        return f"{told} with a single seed, allowed {check['allowed']:g} %: undecided, more seeds are needed"
    if check["high"] > check["low"]:
        told += f" [{check['low']:.2f}, {check['high']:.2f}]"
    ends = {
        PASSES: "within {:g} %",
        FAILS: "beyond {:g} %",
        UNDECIDED: "allowed {:g} %: undecided, more seeds are needed",
    }
    return f"{told}, {ends[check['outcome']].format(check['allowed'])}"
