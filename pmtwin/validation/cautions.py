"""Cautions beside a verdict: large errors that the verdict ignores, and what the runs cannot show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.validity_warnings import sentences
from pmtwin.sim.common.number_forms import percentage
from pmtwin.sim.numerics.statistics import FEWEST
from pmtwin.validation.comparison import ADDED, TRANSFER, fixed_group
from pmtwin.validation.measured import compared_measures, judged_measures, measured_side
from pmtwin.validation.plan import MEASURED
from pmtwin.validation.regions import KEPT, KEPT_RULE
from pmtwin.validation.tolerances import BEST_LOSS, KINDS, REWARD_LOSS, SLA_DISAGREEMENT, declared, name_of


def cautions(scenario: type[Scenario], compared: Mapping, asked: Mapping[str, float | None]) -> list[str]:
    """The cautions, one sentence each.

    Args:
        compared: result of `comparison.compare`.
        asked: name of a tolerance -> limit in percent; None if the verdict does not depend on that tolerance.
    """
    usual = declared(scenario)
    return [
        *_missed(compared),
        *_far_off(scenario, compared, asked, usual),
        *_best(scenario, compared, asked, usual),
        *([] if asked[SLA_DISAGREEMENT] is not None else _service_level(scenario, compared)),
        *_without_error(compared),
        *_to_the_end(compared),
        *_unknown(scenario, compared),
    ]


def all_missed(compared: Mapping) -> str:
    """A sentence if both sides miss the service level in every case, where agreement means little; else empty."""
    count = compared["sla"]["comparisons"]
    if not count or compared["sla"]["both_miss"] < count:
        return ""
    cases = "the only case" if count == 1 else f"all {count} cases"
    return f"both sides miss the service level in {cases} ({KEPT_RULE})"


def _missed(compared: Mapping) -> list[str]:
    missed = all_missed(compared)
    if not missed:
        return []
    goals = "; ".join(compared["goals"])
    return [f"{missed}; goals {goals}: compare a case that keeps it as well, or give other goals (--goal)"]


def _far_off(scenario: type[Scenario], compared: Mapping, asked: Mapping, usual: Mapping) -> list[str]:
    result, leading = [], compared_measures(scenario)[0]
    for (group, errors), measure, which in product(compared["errors"].items(), judged_measures(scenario), KINDS):
        error, limit = errors[measure.name][f"{which}_percent"], usual[name_of(measure, which)]
        if None in (error, limit) or (group == ADDED and (which != KINDS[0] or measure == leading)):
            continue
        if (group in (TRANSFER, ADDED) or asked[name_of(measure, which)] is None) and error > limit:
            where = "" if group == fixed_group(scenario) else f" ({group})"
            what = f"the {which} error of {measure.short}{where}"
            result.append(f"{what} is {percentage(error)} % (the verdict does not ask for it)")
    return result


def _best(scenario: type[Scenario], compared: Mapping, asked: Mapping, usual: Mapping) -> list[str]:
    """Large losses by the twin's best setting, in measures that the verdict does not judge."""
    limit, result = usual[BEST_LOSS], []
    names = {measure.name: measure.short for measure in judged_measures(scenario)} | {"reward": "reward"}
    for number, (measure, name) in enumerate(names.items()):
        if (number == 0 and asked[BEST_LOSS] is not None) or (measure == "reward" and asked[REWARD_LOSS] is not None):
            continue
        losing = [c for c in compared["best"] if c["measure"] == measure and c["loss_percent"] > limit]
        if losing:
            worst = max(losing, key=lambda c: c["loss_percent"])
            result.append(
                f"{worst['workload']}: the {scenario.settings.noun} that the twin calls best in {name} lose "
                f"{percentage(worst['loss_percent'])} % of it to the best measured (the verdict does not ask for it)"
            )
    return result


def _service_level(scenario: type[Scenario], compared: Mapping) -> list[str]:
    count, system = compared["sla"]["comparisons"], measured_side(scenario).system
    disagreeing = count - compared["sla"]["agree"]
    if not disagreeing:
        return []
    return [
        f"twin and {system} disagree on whether the service level holds in {disagreeing} of {count} comparisons "
        f"({100 * disagreeing / count:.0f} %; {KEPT_RULE})"
    ]


def _unknown(scenario: type[Scenario], compared: Mapping) -> list[str]:
    lead, result = compared_measures(scenario)[0].name, []
    if any(entry[lead]["error_percent"]["low"] is None for entry in compared["comparisons"]):
        result.append(f"fewer than {FEWEST} seeds: errors have no interval; in parentheses: the least and the greatest")
    outside, fitted = compared["extrapolated"], "outside what the profile was fitted on"
    if outside["comparisons"]:
        comparisons = f"{outside['comparisons']} of {len(compared['comparisons'])} comparisons"
        result.append(f"{comparisons} lie {fitted}: there the twin extrapolates")
    if outside["measured_windows"]:
        result.append(f"{outside['measured_windows']} of {compared['windows']} measured windows lie {fitted}")
    if not compared["little"]["windows"]:
        result.append("requests in the system were not counted: Little's law is not checked")
    return result + sentences(compared["validity_warnings"])


def _without_error(compared: Mapping) -> list[str]:
    return [
        f"{counts['absent'] + counts['missing']} comparisons of {measure} ({group}) have no error: no measurement"
        for group, errors in compared["errors"].items()
        for measure, counts in errors.items()
        if counts["absent"] + counts["missing"]
    ]


def _to_the_end(compared: Mapping) -> list[str]:
    """Notes that lasted to the end of a measured run which missed the service level, such as a failed fall-back."""
    return [
        f"{note['policy']}, run {note['run']}: {note['note']} to the end, and only {note['kept_percent']:.0f} % of its "
        f"{note['windows']} windows kept the service level"
        for note in compared["notes"]
        if note["side"] == MEASURED and note["at_the_end"] and note["kept_percent"] < 100 * KEPT
    ]
