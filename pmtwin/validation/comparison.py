"""Errors of the twin's predictions against measurements: by case, by region, and in the choice of the best setting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pmtwin.scenarios.comparison.notes import notes
from pmtwin.scenarios.comparison.rollout import Context
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.validity_warnings import reasons
from pmtwin.sim.numerics.statistics import RANGE, mean_interval, positive_interval, present, share_interval
from pmtwin.validation.cases import Case
from pmtwin.validation.choices import best_choices
from pmtwin.validation.errors import error_percent, over_cases, over_known, ratios
from pmtwin.validation.little import little
from pmtwin.validation.measured import compared_measures, judged_measures
from pmtwin.validation.noise import noise, summary
from pmtwin.validation.plan import MEASURED, PREDICTED, SIDES, ValidationPlan
from pmtwin.validation.regions import KEPT, regions
from pmtwin.validation.saturation import saturates
from pmtwin.validation.windows import Windows

Runs = Mapping[str, Sequence[Sequence[Windows]]]
"""Side -> one list per case, of one `Windows` per seed."""

PATHS, TRANSFER, ADDED = "policies' own paths", "policy of the transfer", "added case, at saturation"
"""Groups of comparisons besides that of fixed settings (`fixed_group`). With a fixed setting both sides run at the same
setting. A policy sees a different state on each side and may choose different settings: its error is that of a whole
path, and is kept apart. The case that validation adds at saturation counts for the leading measure alone.
"""

AT_SATURATION = ", clients without pauses"
"""Suffix of the workload's name in the case that validation adds."""


def fixed_group(scenario: type[Scenario]) -> str:
    """Name of the group of fixed settings, with the scenario's noun."""
    return f"fixed {scenario.settings.noun}"


def groups(scenario: type[Scenario]) -> tuple[str, str, str, str]:
    """All groups, in order."""
    return fixed_group(scenario), PATHS, TRANSFER, ADDED


def compare(plan: ValidationPlan, runs: Runs, transfer: Collection[Case] = ()) -> dict:
    """The comparison in plain numbers.

    Errors are 100 (predicted / measured - 1): above zero the twin predicts more than was measured.

    Args:
        runs: side -> one list of runs for each case of the plan.
        transfer: cases that only `transferred` compares.

    Returns:
        `comparisons`: one entry per case and context (see `_entry`).
        `errors`: group (each group of `groups` that has cases) -> measure -> result of `errors.over_cases`.
        `saturation`: without cases of a transfer; `asked` (False if the plan is a transfer alone), the number of
            `comparisons` at saturation, `added` (workload of the case that validation added, or None) and their
            `errors`, as in a group.
        `sla`: the number of `comparisons`, of those in which the sides `agree` on whether the service level holds, and
            of those in which both miss it (`both_miss`).
        `goals`: the service level.
        `regions`: errors by region.
        `noise`: group -> measure -> result of `noise.summary`.
        `best`: see `best_choices`, without cases of a transfer.
        `little`: see `little`.
        `notes`: each note of a policy in a run: `policy`, `side`, `run`, `note` and the fields of `notes.notes`.
        `validity_warnings`: reason -> number of windows; `windows` is the number measured.
        `extrapolated`: `comparisons` and `measured_windows` outside the data of the device profile.
        `interval`: how intervals are computed.
    """
    scenario = type(plan.predicted)
    entries, offered = [], []
    for number, case in enumerate(plan.cases):
        sides = {side: runs[side][number] for side in SIDES}
        for context in dict.fromkeys(block.context for block in case.schedule):
            entry = _entry(plan, case, context, sides, case in transfer)
            entries.append(entry)
            if case not in transfer and not case.added:
                offered.append((case.schedule, entry))
    windows = [trajectory for some in runs[MEASURED] for trajectory in some]
    names = [measure.name for measure in compared_measures(scenario)]

    def errors(part: Sequence[dict]) -> dict[str, dict]:
        return {name: over_cases([entry[name]["by_seed"] for entry in part], SIDES) for name in names}

    def noises(part: Sequence[dict]) -> dict[str, dict]:
        return {name: summary([entry[name]["noise"] for entry in part]) for name in names}

    return {
        "comparisons": entries,
        "errors": _by_group(scenario, entries, errors),
        "saturation": _saturation(entries, errors, any(case not in transfer for case in plan.cases)),
        "sla": _agreement(entries),
        "goals": [str(goal) for goal in plan.predicted.goals],
        "noise": _by_group(scenario, entries, noises),
        "regions": regions(scenario, entries, errors),
        "best": best_choices(scenario, offered),
        "little": little(windows),
        "validity_warnings": reasons(trajectory.validity_warning for trajectory in windows),
        "notes": _notes(plan.cases, runs),
        "windows": sum(len(trajectory.validity_warning) for trajectory in windows),
        "extrapolated": {
            "comparisons": sum(entry["extrapolated"][PREDICTED] for entry in entries),
            "measured_windows": sum(int(trajectory.extrapolated.sum()) for trajectory in windows),
        },
        "interval": _interval(scenario),
    }


def _saturation(entries: Sequence[dict], errors: Callable[[Sequence[dict]], dict], asked: bool) -> dict:
    part = [entry for entry in entries if entry["saturated"] and entry["group"] != TRANSFER]
    added = next((entry["workload"] for entry in part if entry["group"] == ADDED), None)
    return {"asked": asked, "comparisons": len(part), "added": added, "errors": errors(part)}


def _agreement(entries: Sequence[dict]) -> dict:
    """Agreement on the service level, over the cases that the user named, without cases of a transfer."""
    attained = [entry["attainment"] for entry in entries if entry["group"] not in (TRANSFER, ADDED)]
    kept = [[case_attained[side]["mean"] >= KEPT for side in SIDES] for case_attained in attained]
    agree = sum(twin == real for twin, real in kept)
    return {"comparisons": len(attained), "agree": agree, "both_miss": sum(not any(sides) for sides in kept)}


def _interval(scenario: type[Scenario]) -> str:
    judged = ", ".join(measure.short for measure in judged_measures(scenario))
    return (
        f"95 % Student t interval of the mean over seeds, on the logarithmic scale for {judged} and errors (as "
        f"predicted / measured); {RANGE}"
    )


def _notes(cases: Sequence[Case], runs: Runs) -> list[dict]:
    return [
        {"policy": case.policy, "side": side, "run": run, "note": name, **counts}
        for side in SIDES
        for case, some in zip(cases, runs[side], strict=True)
        for run, trajectory in enumerate(some)
        for name, counts in notes(trajectory).items()
    ]


def _entry(
    plan: ValidationPlan, case: Case, context: Context, runs: Mapping[str, Sequence[Windows]], of_transfer: bool
) -> dict:
    """Comparison of one policy in one context.

    The entry has `policy`; `workload` (name of the context); the context and, for a fixed policy, the setting, under
    the scenario's nouns; `changing` (whether contexts take turns in the schedule); `group` (see `groups`);
    `extrapolated` (side -> whether any window is); `attainment` of both sides. For each measure: `predicted` and
    `measured` (`errors.over_known`); `by_seed` (values of each side, None without one); `offered` (see
    `Scenario.offered_load`); `saturated` (whether a side does less than is offered); `error_percent` (`over_runs` of
    pairs with the same seed; None where a seed has no value, or measured 0); `noise` of the measurements.
    """
    scenario = plan.scenario(PREDICTED, case)
    measured, names = runs[MEASURED], [measure.name for measure in compared_measures(type(scenario))]
    sides = {side: [_means(run, context, names) for run in some] for side, some in runs.items()}
    fixed = case.policy.startswith("fixed:")
    entry: dict[str, Any] = {
        "policy": case.policy,
        "workload": scenario.context_name(context) + (AT_SATURATION if case.added else ""),
        scenario.contexts.noun: context or None,
        "changing": len({block.context for block in case.schedule}) > 1,
        scenario.settings.noun: measured[0].setting[0].tolist() if fixed else None,
        "group": ADDED if case.added else fixed_group(type(scenario)) if fixed else TRANSFER if of_transfer else PATHS,
        "extrapolated": {
            side: any(bool(run.extrapolated[run.context == context].any()) for run in some)
            for side, some in runs.items()
        },
    }
    for name in (*names, "reward"):
        both = {side: [run[name] for run in some] for side, some in sides.items()}
        interval = mean_interval if name == "reward" else positive_interval  # a reward may be zero or change its sign
        entry[name] = {side: over_known(values, interval) for side, values in both.items()} | {"by_seed": both}
        if name != "reward":
            entry[name]["error_percent"] = error_percent(ratios(both[PREDICTED], both[MEASURED]))
            entry[name]["noise"] = noise([run.measures[name][run.context == context] for run in measured])
    entry["offered"] = scenario.offered_load(context)
    entry["saturated"] = any(saturates(entry["offered"], entry[names[0]][side]["mean"]) for side in SIDES)
    entry["attainment"] = {
        side: over_known([run["met"] for run in some], share_interval) for side, some in sides.items()
    }
    return entry


def _means(windows: Windows, context: Context, names: Sequence[str]) -> dict[str, float | None]:
    """Means of measures over the windows of a context that have a value; None without any."""
    inside = windows.context == context
    columns = {name: windows.measures[name] for name in names} | {"reward": windows.reward, "met": windows.met}
    known = {name: present(values[inside]) for name, values in columns.items()}
    return {name: float(values.mean()) if len(values) else None for name, values in known.items()}


def _by_group(
    scenario: type[Scenario], entries: Sequence[dict], summarise: Callable[[Sequence[dict]], dict]
) -> dict[str, dict]:
    parts = {group: [entry for entry in entries if entry["group"] == group] for group in groups(scenario)}
    return {group: summarise(part) for group, part in parts.items() if part}
