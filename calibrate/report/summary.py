"""What a reader sees in ten seconds: five figures, where not to trust the model, and the map."""

from __future__ import annotations

import html

import numpy as np

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.report.coverage import TARGET_PERCENT
from pmtwin.calibrate.report.markup import card, listed
from pmtwin.calibrate.report.trust import GOOD_PERCENT, POOR_PERCENT, regions, verdict

WORST_SHOWN = 8
NOT_JUDGED = (
    "Nothing was kept aside (--bootstrap 0): how far to trust the predictions is not known. The errors below are on "
    "the data that the law was fitted to."
)


def cards(calibration: Calibration) -> str:
    """Errors of unseen configurations, share inside the interval, the noise beside them, and how much was measured."""
    record = calibration.profile.record
    together = (record["errors_percent_all"] or {}).get("predict")
    parts = []
    if together:
        median, _, one_in_ten = together
        parts.append(card(f"{median:.1f} %", "typical error of unseen configurations (median)", _kind(median)))
        parts.append(card(f"{one_in_ten:.1f} %", "is exceeded by one in ten", _kind(one_in_ten)))
        parts.append(_coverage_card(calibration))
    parts.append(_noise_card(record["noise_floor_percent"]))
    operations = ", ".join(calibration.operations)
    parts.append(card(f"{record['configurations']:,}", f"configurations measured: {operations}"))
    return f"<div class=cards>{''.join(parts)}</div>"


def where_not_to_trust(calibration: Calibration, trust_map: str) -> str:
    """The verdict and the map; beside each other the worst regions and what the data does not tell."""
    record = calibration.profile.record
    found = regions(calibration)
    if not found:
        return f"<p><b>{NOT_JUDGED}</b></p>{_untold(record)}"
    sentence, poor = verdict(found)
    more = f"<p>and {len(poor) - WORST_SHOWN} more, bold in the map.</p>" if len(poor) > WORST_SHOWN else ""
    worst = (
        f"<div><h3>Measured, and yet one in ten misses by more than</h3>{listed(poor[:WORST_SHOWN])}{more}</div>"
        if poor
        else ""
    )
    return f"<p><b>{html.escape(sentence)}</b></p>{trust_map}<div class=columns>{worst}{_untold(record)}</div>"


def _untold(record: dict) -> str:
    lines = [*record["not_identified"], *record["notes"]]
    lines += [f"{name}: only {n} configurations, not fitted" for name, n in record["too_few_configurations"].items()]
    return f"<div><h3>What the data does not tell</h3>{listed(lines)}</div>" if lines else ""


def _coverage_card(calibration: Calibration) -> str:
    counts = [each.unseen_configurations.index.size for each in calibration.operations.values()]
    shares = [each.coverage["configurations"] for each in calibration.operations.values()]
    percent = 100.0 * float(np.average(shares, weights=counts))
    low, high = TARGET_PERCENT
    return card(f"{percent:.0f} %", "inside their 90 % interval", "" if low <= percent <= high else "middling")


def _noise_card(noise: list[float] | None) -> str:
    if not noise:
        return card("unknown", "noise floor: nothing was measured twice")
    return card(f"{noise[0]:.1f} / {noise[2]:.1f} %", "noise floor: what repeating gives, median / one in ten")


def _kind(error_percent: float) -> str:
    return "poor" if error_percent > POOR_PERCENT else "middling" if error_percent > GOOD_PERCENT else ""
