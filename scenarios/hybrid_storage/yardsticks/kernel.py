"""The least cost of keeping pages on the fast device at given prices, page by page."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit


@njit(cache=True)
def least_cost(steps, value, change, came_kept):
    """Least cost of all pages; adds to `change` where a page begins (+1) and ends (-1) to be kept.

    Args:
        value: price of all times before each time, shape (count + 1,).
        change: shape (count + 1,); changed.
        came_kept: shape (m, 2), buffer: whether the page was kept until the access, if it is not or is kept after it.
    """
    total, first = 0.0, 0
    away, stays = 0.0, 0.0
    for k in range(len(steps.write)):
        if steps.starts[k]:
            first, away, stays = k, 0.0, np.inf
            if steps.since[k] >= 0:
                stays = value[steps.time[k]] - value[steps.since[k]] - steps.gain[k]
        if steps.write[k]:
            came_kept[k, 0] = came_kept[k, 1] = stays < away
            enters = min(away, stays)
            leaves = enters + steps.leave[k]
        else:
            came_kept[k, 0] = stays + steps.leave[k] < away
            came_kept[k, 1] = stays <= away + steps.enter[k]
            leaves = min(away, stays + steps.leave[k])
            enters = min(stays, away + steps.enter[k])
        is_last = k + 1 == len(steps.write) or steps.starts[k + 1]
        gained = 0.0 if is_last else steps.gain[k + 1]
        away, stays = leaves, enters + value[steps.until[k]] - value[steps.time[k]] - gained
        if is_last:
            total += min(away, stays)
            kept = stays < away
            for j in range(k, first - 1, -1):
                if kept:
                    change[steps.time[j]] += 1.0
                    change[steps.until[j]] -= 1.0
                kept = came_kept[j, int(kept)]
            if kept:
                change[steps.since[first]] += 1.0
                change[steps.time[first]] -= 1.0
    return total
