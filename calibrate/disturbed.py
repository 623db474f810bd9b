"""Measurements while other work had the processors: how many are left without them, and whether that is enough."""

from __future__ import annotations

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.readers.probe import DISTURBED
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.errors import InputError

LEAST_KEPT = 0.5
"""Share of the measured rows below which a fit is refused."""

REMEDY = "stop other work on the machine and probe again, with fewer --threads if it cannot be stopped"


def kept_share(measurements: Measurements) -> float:
    """Share of the rows of a probe during which its threads had their processors; 1 where none is known to be lost."""
    kept, lost = _counts(measurements)
    return kept / (kept + lost) if lost else 1.0


def kept_text(measurements: Measurements) -> str:
    """How many rows of a probe are left, such as `8.1 % of the measured rows kept (106 of 1,301): ...`; "" for all."""
    kept, lost = _counts(measurements)
    if not lost:
        return ""
    share = percent(kept_share(measurements))
    text = f"{share} of the measured rows kept ({kept:,} of {kept + lost:,}): other work had the processors in the rest"
    if used := measurements.context.disturbed_rows:
        text += f"; {used:,} of the rest, of one thread, are fitted by the time for which it had its processor"
    if others := measurements.dropped.total() - measurements.dropped.get(DISTURBED, 0):
        text += f"; beside them {others:,} dropped for other reasons"
    return text


def check_kept(measurements: Measurements) -> None:
    """Raise `InputError` if other work spoilt so many rows that what is left does not say how wrong it is."""
    if kept_share(measurements) < LEAST_KEPT:
        kept, lost = _counts(measurements)
        share = percent(kept_share(measurements))
        wrong = f"of {kept + lost:,} measured ({share}) are too few: other work had the processors in the rest"
        allowed = f"at least {percent(LEAST_KEPT)} of them; {REMEDY}; --accept-disturbed fits it all the same"
        raise InputError("undisturbed rows of the probe", kept, allowed, wrong=wrong)


def _counts(measurements: Measurements) -> tuple[int, int]:
    """Rows of use that nothing disturbed, and disturbed ones."""
    disturbed = measurements.context.disturbed_rows
    kept = len(measurements) + measurements.context.other_rows - disturbed
    return kept, disturbed + measurements.dropped.get(DISTURBED, 0)
