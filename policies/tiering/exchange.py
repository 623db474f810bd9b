"""Pages change places by a score, compiled: those with the highest scores come to the fastest devices."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit


@njit(cache=True)
def plan_exchange(score, gain, device_of, free, moves):
    """Write the moves, a page that leaves before the one that takes its place; each page moves once at most.

    A page comes to a device if its score is at least `gain` and there is room, or if the lowest score there is lower by
    `gain`: that page leaves for the next device with room.

    Args:
        score: float64, shape (pages,). free: free pages of each device. moves: as of `Migration.plan`.
    """
    device, room, count = device_of.copy(), free.copy(), 0
    has_moved = np.zeros(score.size, np.bool_)
    for target in range(free.size - 1):
        coming = np.flatnonzero((device > target) & (score >= gain) & ~has_moved)
        coming = coming[np.argsort(-score[coming], kind="mergesort")]
        present = np.flatnonzero((device == target) & ~has_moved)
        present = present[np.argsort(score[present], kind="mergesort")]
        leaving = 0
        for page in coming:
            if room[target] < 1:
                if leaving == present.size or score[page] < score[present[leaving]] + gain:
                    break
                count = _add(moves, count, present[leaving], _next_with_room(room, target), device, room, has_moved)
                leaving += 1
            count = _add(moves, count, page, target, device, room, has_moved)


@njit(cache=True, inner=True)
def _next_with_room(room, device):
    """The next slower device that has room; the last one always has."""
    device += 1
    while device < room.size - 1 and room[device] < 1:
        device += 1
    return device


@njit(cache=True, inner=True)
def _add(moves, count, page, target, device, room, has_moved):
    """Append a move; returns the number of moves."""
    moves[count] = page * room.size + target
    room[device[page]] += 1
    room[target] -= 1
    device[page] = target
    has_moved[page] = True
    return count + 1
