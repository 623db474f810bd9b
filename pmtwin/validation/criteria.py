"""Criteria of a verdict: each in words, its value with an interval, and the largest value that passes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import Measure
from pmtwin.validation.comparison import PATHS, fixed_group
from pmtwin.validation.measured import judged_measures, measured_side
from pmtwin.validation.plan import REWARD
from pmtwin.validation.regions import KEPT_RULE
from pmtwin.validation.tolerances import (
    BEST_LOSS,
    KINDS,
    LITTLE_SHARE,
    REWARD_LOSS,
    SLA_DISAGREEMENT,
    TRANSFER_LOSS,
    WARNED_SHARE,
    Tolerances,
    name_of,
)

Limits = Mapping[str, float | None]
PASSES, FAILS, UNDECIDED = "passes", "fails", "undecided"


class Criterion(NamedTuple):
    """A criterion in words, its value, its interval (None: too few seeds), and its limit (None: anything passes)."""

    what: str
    value: float
    ends: Sequence[float] | None
    allowed: float | None


def outcome(ends: Sequence[float] | None, allowed: float) -> str:
    """`PASSES` if the whole interval is allowed, `FAILS` if no part of it is; else, and without one, `UNDECIDED`."""
    if ends is None or (_within(ends[0], allowed) and not _within(ends[1], allowed)):
        return UNDECIDED
    return PASSES if _within(ends[1], allowed) else FAILS


def _within(value: float, allowed: float) -> bool:
    """Whether a value is at most `allowed`, up to rounding: 100 (1.05 - 1) is 5.000000000000004."""
    return value <= allowed or math.isclose(value, allowed, rel_tol=1e-9)


def criteria(compared: Mapping, tolerances: Tolerances) -> list[Criterion]:
    """All criteria for a result of `comparison.compare` on the medium of the tolerances."""
    limits, scenario = tolerances.values, tolerances.scenario
    system, windows = measured_side(scenario).system, max(compared["windows"], 1)
    asked = [
        *_errors(scenario, compared, limits, tolerances.at_saturation),
        *_losses(scenario, compared, limits),
        *_agreement(compared, limits),
    ]
    if compared["little"]["windows"]:
        share = 100.0 * compared["little"]["departing"] / compared["little"]["windows"]
        asked.append(Criterion("windows that depart from Little's law", share, [share, share], limits[LITTLE_SHARE]))
    warned = 100.0 * sum(compared["validity_warnings"].values()) / windows
    asked.append(
        Criterion(f"windows with a validity warning of the {system}", warned, [warned, warned], limits[WARNED_SHARE])
    )
    return asked + [
        Criterion(
            f"{transfer['workload']}: {transfer['decided_by']} that the policy loses to {fixed_group(scenario)}",
            transfer["loss_percent"],
            _transfer_interval(transfer),
            limits[TRANSFER_LOSS],
        )
        for transfer in compared.get("transfer", ())
    ]


def _errors(scenario: type[Scenario], compared: Mapping, limits: Limits, at_saturation: bool) -> Iterator[Criterion]:
    """Criteria on errors, for each group separately, without cases of a transfer.

    Args:
        at_saturation: judge the leading measure over all groups at saturation only: below, it shows the offered load.
    """
    judged = judged_measures(scenario)
    group_measures = judged[1:] if at_saturation else judged
    groups = {fixed_group(scenario): "", PATHS: " along policies' own paths"}
    for group, where in groups.items():
        for measure in group_measures:
            yield from _of_measure(measure, where, compared["errors"].get(group, {}).get(measure.name), limits)
    if not (at_saturation and judged and compared["saturation"]["asked"]):
        return
    if any(group in compared["errors"] for group in groups):
        saturation, lead = compared["saturation"], judged[0]
        if not saturation["comparisons"]:
            what = f"cases below saturation, where {lead.short} shows only what was offered"
            yield Criterion(what, 100.0, [100.0, 100.0], 0.0)
        where = f" at saturation ({saturation['added']})" if saturation["added"] else " at saturation"
        yield from _of_measure(lead, where, saturation["errors"][lead.name], limits)


def _of_measure(measure: Measure, where: str, errors: Mapping | None, limits: Limits) -> Iterator[Criterion]:
    """Criteria on the errors of a group in a measure (see `errors.over_cases`; None: no such group)."""
    if errors is None:
        return
    if errors["missing"]:
        share = 100.0 * errors["missing"] / (errors["entries"] + errors["missing"])
        yield Criterion(f"cases in which {measure.short}{where} has no value on one side", share, [share, share], 0.0)
    for kind in KINDS if errors["entries"] else ():
        field = f"{kind}_percent"
        limit = limits[name_of(measure, kind)]
        yield Criterion(f"{kind} error of {measure.short}{where}", errors[field], errors["intervals"][field], limit)


def _losses(scenario: type[Scenario], compared: Mapping, limits: Limits) -> Iterator[Criterion]:
    """Criteria on losses in the leading judged measure and in the reward, each in the workload with the worst outcome.

    Among workloads of the same outcome, the one with the largest loss.
    """
    for measure, name, limit in _loss_limits(scenario):
        losses = [choice for choice in compared["best"] if choice["measure"] == measure]
        if losses:
            worst = max(losses, key=partial(_severity, limits[limit]))
            where = f" in {worst['workload']}" if len(losses) > 1 else ""
            where += f" under changing {scenario.contexts.plural}" if where and worst["changing"] else ""
            what = f"loss of {name} by the twin's best {scenario.settings.noun}{where}"
            yield Criterion(what, worst["loss_percent"], worst["loss_interval"], limits[limit])


def _severity(allowed: float | None, choice: Mapping) -> tuple[int, float]:
    """Sorting key of a loss: its outcome, then its size."""
    rank = 0 if allowed is None else (PASSES, UNDECIDED, FAILS).index(outcome(choice["loss_interval"], allowed))
    return rank, choice["loss_percent"]


def _loss_limits(scenario: type[Scenario]) -> Iterator[tuple[str, str, str]]:
    """(measure of `compared["best"]`, its name in words, its tolerance)."""
    yield from ((lead.name, lead.short, BEST_LOSS) for lead in judged_measures(scenario)[:1])
    yield REWARD, REWARD, REWARD_LOSS


def _agreement(compared: Mapping, limits: Limits) -> Iterator[Criterion]:
    """Criterion on agreement: a count without sampling error; none where the plan is a transfer alone."""
    share = agreement(compared)
    if share is not None:
        disagreement = 100.0 * (1.0 - share)
        what = f"cases in which the sides disagree on the service level ({KEPT_RULE})"
        yield Criterion(what, disagreement, [disagreement, disagreement], limits[SLA_DISAGREEMENT])


def agreement(compared: Mapping) -> float | None:
    """Share (0 to 1) of named comparisons in which both sides keep, or both miss, the service level."""
    count = compared["sla"]["comparisons"]
    return compared["sla"]["agree"] / count if count else None


def key_figures(scenario: type[Scenario], compared: Mapping, limits: Limits) -> dict[str, float | None]:
    """The main figures for a program that reads the result; None where nothing was compared.

    Returns:
        `sla_agreement` (share, 0 to 1); `NAME_median_percent` of each judged measure, the worse of fixed settings and
        policies' own paths; `best_loss_percent`: the largest loss by the twin's best setting, over the measures that
        the verdict judges.
    """
    figures = {"sla_agreement": agreement(compared)}
    for measure in judged_measures(scenario):
        medians = [
            compared["errors"][group][measure.name]["median_percent"]
            for group in (fixed_group(scenario), PATHS)
            if group in compared["errors"]
        ]
        known = [median for median in medians if median is not None]
        figures[f"{measure.short}_median_percent"] = max(known, default=None)
    asked = {measure for measure, _, limit in _loss_limits(scenario) if limits[limit] is not None}
    losses = [choice["loss_percent"] for choice in compared["best"] if choice["measure"] in asked]
    return figures | {"best_loss_percent": max(losses, default=None)}


def _transfer_interval(transfer: Mapping) -> list[float] | None:
    """Interval of the transfer's loss in percent; a loss of median reward has no width."""
    if transfer["ratio"] is None:
        return [transfer["loss_percent"]] * 2
    ends = transfer["ratio"]["high"], transfer["ratio"]["low"]
    return None if None in ends else [100.0 * (1.0 - end) for end in ends]
