"""Measurements during which other work had the processors: the share of the others, and whether it is enough."""

from __future__ import annotations

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.readers.probe import DISTURBED
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.errors import InputError

LEAST_KEPT = 0.5
"""Share of the measured rows below which a fit is refused."""

REMEDY = "stop other work on the machine and probe again, with fewer --threads if it cannot be stopped"


def kept_share(measurements: Measurements) -> float:
    """Share of a probe's rows during which its threads had their processors; 1 if none is known to be disturbed."""
    undisturbed, disturbed = _counts(measurements)
    return undisturbed / (undisturbed + disturbed) if disturbed else 1.0


def kept_text(measurements: Measurements) -> str:
    """Number of undisturbed rows in words: `8.1 % of the measured rows kept (106 of 1,301): ...`; "" if all are."""
    undisturbed, disturbed = _counts(measurements)
    if not disturbed:
        return ""
    share, count = percent(kept_share(measurements)), undisturbed + disturbed
    text = (
        f"{share} of the measured rows kept ({undisturbed:,} of {count:,}): other work had the processors in the rest"
    )
    if used := measurements.context.disturbed_rows:
        text += f"; {used:,} of the rest, of one thread, are fitted by the time for which it had its processor"
    if dropped := measurements.dropped.total() - measurements.dropped.get(DISTURBED, 0):
        text += f"; beside them {dropped:,} dropped for other reasons"
    return text


def check_kept(measurements: Measurements) -> None:
    """Check that enough rows are undisturbed.

    Raises:
        InputError: the share of undisturbed rows is below `LEAST_KEPT`.
    """
    if kept_share(measurements) < LEAST_KEPT:
        undisturbed, disturbed = _counts(measurements)
        share, count = percent(kept_share(measurements)), undisturbed + disturbed
        fault = f"of {count:,} measured ({share}) are too few: other work had the processors in the rest"
        allowed = f"at least {percent(LEAST_KEPT)} of them; {REMEDY}; --accept-disturbed fits it all the same"
        raise InputError("undisturbed rows of the probe", undisturbed, allowed, wrong=fault)


def _counts(measurements: Measurements) -> tuple[int, int]:
    """(undisturbed rows, disturbed rows), of the rows that are usable or were dropped as disturbed."""
    disturbed = measurements.context.disturbed_rows
    undisturbed = len(measurements) + measurements.context.other_rows - disturbed
    return undisturbed, disturbed + measurements.dropped.get(DISTURBED, 0)
