"""Pages classified by how often they are used, and the moves that follow, compiled (`k_svm.py`)."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.tiering.clusters import clusters
from pmtwin.policies.tiering.hinge import separating, value
from pmtwin.sim.compiling import njit

DECAY = 0.5
"""What earlier requests count, each time that pages are classified."""


@njit(cache=True)
def classified(rows, devices, sample, penalty):
    """(device of each page, its distance from the border of the first device, above 0 inside).

    Without two clusters, all belong where nothing moves: device -1.
    """
    step = -(-rows.shape[0] // sample)
    chosen = rows[::step].copy()
    for feature in range(rows.shape[1]):
        mean, spread = chosen[:, feature].mean(), chosen[:, feature].std()
        rows[:, feature] = (rows[:, feature] - mean) / (spread if spread > 0.0 else 1.0)
    chosen = rows[::step].copy()
    members, distances = clusters(chosen, devices)
    is_clear = np.zeros(members.size, np.bool_)
    for number in range(devices):
        inside = members == number
        if inside.any():
            is_clear |= inside & (distances <= distances[inside].mean())
    chosen, members = chosen[is_clear], members[is_clear]
    device, hotness = np.zeros(rows.shape[0], np.int64), np.zeros(rows.shape[0])
    for border in range(devices - 1):
        labels = np.where(members <= border, 1.0, -1.0)
        if labels.min() == labels.max():
            device[:] = -1
            break
        weights = separating(chosen, labels, penalty)
        for row in range(rows.shape[0]):
            side = value(weights, rows[row])
            device[row] += side < 0.0
            if border == 0:
                hotness[row] = side
    return device, hotness


@njit(cache=True)
def list_moves(pages, device, hotness, device_of, free, moves):
    """Write the moves: pages to slower devices in their order, then others from the hottest on, while there is room."""
    count, room = 0, free.copy()
    hottest = np.argsort(-hotness, kind="mergesort")
    for comes in (False, True):
        for place in range(pages.size):
            row = hottest[place] if comes else place
            page, target = pages[row], device[row]
            origin = device_of[page]
            leaves_for_it = target < origin if comes else target > origin
            if target >= 0 and leaves_for_it and room[target] > 0:
                moves[count] = page * free.size + target
                room[target] -= 1
                room[origin] += 1
                count += 1


def used(arrays, page, pages, write, device_of):
    """Count the request."""
    arrays[0][page : page + pages] += 1


def plan(arrays, device_of, free, setting, moves):
    """All pages that are not where they belong."""
    recent, earlier, options = arrays
    pages = np.flatnonzero(recent + earlier)
    rows = np.log2(1.0 + np.stack((recent[pages].astype(np.float64), earlier[pages]), axis=1))
    earlier[:] = DECAY * (earlier + recent)
    recent[:] = 0
    if pages.size > 0:
        device, hotness = classified(rows, free.size, int(options[0]), options[1])
        list_moves(pages, device, hotness, device_of, free, moves)
