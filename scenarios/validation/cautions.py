"""What a reader of a verdict should know beside it: what was not asked and is far off, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from pmtwin.scenarios.doubts import sentences
from pmtwin.scenarios.validation.comparison import FIXED, TRANSFER
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED

KEPT = 0.5
"""The service level holds where it is kept in at least this share of windows."""

_MEASURES = {"throughput_ops": "throughput", "p99_us": "p99", "reward": "reward"}


def cautions(compared: Mapping, asked: Mapping, usual: Mapping) -> list[str]:
    """Sentences.

    Args:
        compared: of `comparison.compare`.
        asked: limits in percent, by field of `verdict.Tolerances`; None: the verdict does not depend on it.
        usual: the same of an emulated device, where everything is asked.
    """
    return [
        *_far_off(compared, asked, usual),
        *_best(compared, asked, usual),
        *_service_level(compared),
        *_without_error(compared),
        *_to_the_end(compared),
        *_unknown(compared),
    ]


def _percent(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _far_off(compared: Mapping, asked: Mapping, usual: Mapping) -> list[str]:
    found = []
    measures, kinds = (("throughput_ops", "throughput"), ("p99_us", "p99")), ("median", "worst")
    for (group, errors), (measure, field), which in product(compared["errors"].items(), measures, kinds):
        error, limit = errors[measure][f"{which}_percent"], usual[f"{field}_{which}"]
        if error is not None and (group == TRANSFER or asked[f"{field}_{which}"] is None) and error > limit:
            where = "" if group == FIXED else f" ({group})"
            found.append(
                f"the {which} error of {field}{where} is {_percent(error)} % (the verdict does not ask for it)"
            )
    return found


def _best(compared: Mapping, asked: Mapping, usual: Mapping) -> list[str]:
    """The verdict itself may ask for throughput, never for the others."""
    limit, found = usual["best_loss"], []
    for measure, name in _MEASURES.items():
        if measure == "throughput_ops" and asked["best_loss"] is not None:
            continue
        losing = [one for one in compared["best"] if one["measure"] == measure and one["loss_percent"] > limit]
        if losing:
            worst = max(losing, key=lambda one: one["loss_percent"])
            found.append(
                f"{worst['workload']}: the pools that the twin calls best in {name} lose "
                f"{_percent(worst['loss_percent'])} % of it to the best measured (the verdict does not ask for it)"
            )
    return found


def _service_level(compared: Mapping) -> list[str]:
    attained = [entry["sla_attainment"] for entry in compared["comparisons"]]
    apart = sum((one[PREDICTED]["mean"] >= KEPT) != (one[MEASURED]["mean"] >= KEPT) for one in attained)
    if not apart:
        return []
    share = 100 * apart / len(attained)
    return [
        f"twin and middleware disagree on whether the service level holds in {apart} of {len(attained)} comparisons "
        f"({share:.0f} %)"
    ]


def _unknown(compared: Mapping) -> list[str]:
    found = []
    if any(entry["throughput_ops"]["error_percent"]["low"] is None for entry in compared["comparisons"]):
        found.append("a single seed: errors have no interval")
    outside, fitted = compared["extrapolated"], "outside the range of sizes and threads that the profile was fitted on"
    if outside["comparisons"]:
        comparisons = f"{outside['comparisons']} of {len(compared['comparisons'])} comparisons"
        found.append(f"{comparisons} lie {fitted}: there the twin extrapolates")
    if outside["measured_windows"]:
        found.append(f"{outside['measured_windows']} of {compared['windows']} measured windows lie {fitted}")
    if not compared["little"]["windows"]:
        found.append("requests in the system were not counted: Little's law is not checked")
    return found + sentences(compared["doubts"])


def _without_error(compared: Mapping) -> list[str]:
    return [
        f"{of['absent'] + of['missing']} comparisons of {measure} ({group}) have no error: nothing was measured there"
        for group, errors in compared["errors"].items()
        for measure, of in errors.items()
        if of["absent"] + of["missing"]
    ]


def _to_the_end(compared: Mapping) -> list[str]:
    """A fall-back that does not keep the service level either, above all."""
    return [
        f"{one['policy']}, run {one['run']}: {one['note']} to the end, and only {one['kept_percent']:.0f} % of its "
        f"{one['windows']} windows kept the service level"
        for one in compared["notes"]
        if one["side"] == MEASURED and one["at_the_end"] and one["kept_percent"] < 100 * KEPT
    ]
