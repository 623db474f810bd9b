"""Summary at the head of the report: up to five figures, where not to trust the model, and the map."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.report.coverage import TARGET_PERCENT
from pmtwin.calibrate.report.trust import GOOD_PERCENT, POOR_PERCENT, regions, verdict
from pmtwin.figures.page.markup import card, group, items, joined, paragraph

WORST_SHOWN = 8
NOT_JUDGED = (
    "Nothing was kept aside (--bootstrap 0): how far to trust the predictions is not known, so that the map of trust "
    "and the shares inside intervals are missing. The errors below are on the data that the law was fitted to."
)


def cards(calibration: Calibration) -> Markup:
    """Figures: errors of unseen configurations, their share inside the interval, noise floor, number of configurations.

    Where nothing was kept aside, only the last two.
    """
    record = calibration.profile.record
    together = (record["errors_percent_all"] or {}).get("predict")
    parts = []
    if together:
        median, _, p90 = together
        parts.append(
            card(f"{median:.1f} %", more="typical error of unseen configurations (median)", kind=_kind(median))
        )
        parts.append(card(f"{p90:.1f} %", more="is exceeded by one in ten", kind=_kind(p90)))
        parts.append(_coverage_card(calibration))
    parts.append(_noise_card(record["noise_floor_percent"]))
    operations = ", ".join(calibration.operations)
    parts.append(card(f"{record['configurations']:,}", more=f"configurations measured: {operations}"))
    return group("cards", parts)


def where_not_to_trust(calibration: Calibration, trust_map: str) -> Markup:
    """Notes on the measurements, verdict and map; the worst regions, and the values that the data does not identify."""
    record = calibration.profile.record
    notes = joined(map(paragraph, record["notes"]))
    judged = regions(calibration)
    if not judged:
        return joined((notes, paragraph(Markup("<b>{}</b>").format(NOT_JUDGED)), _untold(record)))
    sentence, poor = verdict(judged)
    lines = poor[:WORST_SHOWN]
    if len(poor) > WORST_SHOWN:
        lines.append(f"and {len(poor) - WORST_SHOWN} more, bold in the map")
    worst = _listed("Measured, and yet one in ten misses by more than", lines)
    return joined(
        (notes, paragraph(Markup("<b>{}</b>").format(sentence)), trust_map, group("columns", (worst, _untold(record))))
    )


def _untold(record: dict) -> Markup:
    lines = list(record["not_identified"])
    lines += [f"{name}: only {n} configurations, not fitted" for name, n in record["too_few_configurations"].items()]
    return _listed("What the data does not identify", lines)


def _listed(title: str, lines: list[str]) -> Markup:
    return Markup("<div><h3>{}</h3>{}</div>").format(title, items(lines)) if lines else Markup()


def _coverage_card(calibration: Calibration) -> Markup:
    judged = ((each.coverage["configurations"], each.unseen_configurations) for each in calibration.operations.values())
    shares, counts = zip(*((share, len(errors)) for share, errors in judged if errors), strict=True)
    percent = 100.0 * float(np.average(shares, weights=counts))
    low, high = TARGET_PERCENT
    return card(
        f"{percent:.0f} %", more="inside their 90 % interval", kind="" if low <= percent <= high else "middling"
    )


def _noise_card(noise: list[float] | None) -> Markup:
    if not noise:
        return card("unknown", more="noise floor: nothing was measured twice")
    return card(f"{noise[0]:.1f} / {noise[2]:.1f} %", more="noise floor: what repeating gives, median / one in ten")


def _kind(error_percent: float) -> str:
    return "poor" if error_percent > POOR_PERCENT else "middling" if error_percent > GOOD_PERCENT else ""
