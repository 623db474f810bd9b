"""Decayed counts of the uses of pages, and the hottest and the coldest of some of them, compiled (`heat.py`)."""

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


def used(arrays, page, pages, write, device_of):
    """The pages are hotter by 1."""
    heat, since, recent, numbers, limits = arrays
    numbers[REQUESTS] += 1
    age, factor = -1, 1.0
    for number in range(page, page + pages):
        if numbers[REQUESTS] - since[number] != age:  # pages of a request often have been used together before
            age = numbers[REQUESTS] - since[number]
            factor = 0.5 ** (age / limits[0])
        heat[number] = heat[number] * factor + 1.0
        since[number] = numbers[REQUESTS]
        if device_of[number] > 0:
            recent[numbers[NEXT] % RECENT] = number
            numbers[NEXT] += 1


def move(arrays, page, features, device_of, oldest, free, setting):
    """The hottest recent page if there is room, or the coldest one of the first device to make room for it."""
    _, _, _, numbers, limits = arrays
    hot, hottest = hottest_of(arrays, device_of)
    cold, coldest = coldest_of(arrays, device_of, oldest[0])
    numbers[COLD] = cold
    if free[0] > limits[2] and hot != NOBODY:
        return hot * free.size
    if cold != NOBODY and (free[0] < limits[2] or hottest > limits[1] * coldest):
        return cold * free.size + 1
    return NOBODY
