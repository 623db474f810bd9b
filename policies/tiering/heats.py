"""The hottest and the coldest of some pages by decayed counts, compiled (`heat.py`)."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit

RECENT, LOOKED_AT = 32, 64
"""Pages of the last requests that may be promoted; pages that are looked at for a cold one each time."""

REQUESTS, HAND, COLD, NEXT = range(4)
NOBODY = -1


@njit(_nrt=False)
def hottest_of(arrays, device_of):
    """(page, heat now) of the hottest page of the last requests that is not on the first device."""
    heat, since, recent, numbers, limits = arrays
    now, half_life = numbers[REQUESTS], limits[0]
    hot, hottest = NOBODY, 0.0
    for place in range(RECENT):
        candidate = recent[place]
        # heat only decays, so that no page is hotter than it was
        if candidate != NOBODY and heat[candidate] > hottest and device_of[candidate] > 0:
            warmth = heat[candidate] * 0.5 ** ((now - since[candidate]) / half_life)
            if warmth > hottest:
                hot, hottest = candidate, warmth
    return hot, hottest


@njit(_nrt=False)
def coldest_of(arrays, device_of, oldest):
    """(page, heat now) of the coldest of some pages of the first device, the last coldest, and the oldest one."""
    heat, since, _, numbers, limits = arrays
    now, half_life = numbers[REQUESTS], limits[0]
    cold, coldest, hand = NOBODY, np.inf, numbers[HAND]
    for step in range(LOOKED_AT + 2):
        candidate = hand if step < LOOKED_AT else numbers[COLD] if step == LOOKED_AT else oldest
        if step < LOOKED_AT:
            hand = hand + 1 if hand + 1 < device_of.size else 0
        if candidate == NOBODY or device_of[candidate] != 0:
            continue
        # a page that was hotter than the coldest one, later than that, is hotter now
        if cold != NOBODY and heat[candidate] >= heat[cold] and since[candidate] >= since[cold]:
            continue
        warmth = heat[candidate] * 0.5 ** ((now - since[candidate]) / half_life)
        if warmth < coldest:
            cold, coldest = candidate, warmth
    numbers[HAND] = hand
    return cold, coldest
