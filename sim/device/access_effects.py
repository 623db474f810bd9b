"""Predictions for accesses with effects, from those for the plain accesses of the sweep.

Each effect changes the plain prediction by its mechanism (`pmtwin.sim.device.effects`). A point with an effect that the
profile does not identify has no prediction.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints, LawColumns, Outcome
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.effects.effect import UNMEASURED_LOG_HALF_WIDTH
from pmtwin.sim.device.issue import issue_bound_mib_s
from pmtwin.sim.device.profile import Profile


def vary(profile: Profile, operation: str, pattern: str, points: AccessPoints, plain: Outcome) -> Outcome:
    """Apply all effects of `points` (each on one set of DIMMs) to their plain outcome."""
    count = np.zeros(points.threads.shape, dtype=int)
    for effect in varied():
        present = np.flatnonzero(points.has(effect.column.key))
        if not present.size or (effect.operations and operation not in effect.operations):
            continue
        count[present] += ~points.has(effect.measured_beside)[present]
        entry = (profile.effects or {}).get(effect.name, {}).get(operation)
        if entry is None:
            plain.missing[present] = f"{effect.name} of {operation}"
            continue
        effect.apply(profile.parameters[operation], entry, pattern, points, plain, present)
    together = np.flatnonzero(count > 1)  # effects were measured one at a time
    plain.log_half_width[together] += UNMEASURED_LOG_HALF_WIDTH
    plain.extrapolated[together] = True
    return plain


def having(points: AccessPoints, trait: str) -> np.ndarray:
    """Mask of the points with an effect that has a trait: `as_random` or `own_latency` of `Effect`."""
    mask = np.zeros(points.threads.shape, dtype=bool)
    for effect in varied():
        if getattr(effect, trait):
            mask |= points.has(effect.column.key)
    return mask


def plain_bounds(parameters: Mapping, pattern: str, columns: LawColumns) -> tuple[np.ndarray, np.ndarray]:
    """(issue bound, media bound) of plain accesses, in MiB/s."""
    random = np.asarray(pattern == "random")
    issue = issue_bound_mib_s(parameters, random, *columns[:2])
    return issue, law.media_bound_mib_s(parameters, random, *columns)
