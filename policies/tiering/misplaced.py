"""The next page that is not on the device where it belongs, compiled (`static_set.py`)."""

from __future__ import annotations

from pmtwin.sim.compiling import njit

BLOCK = 64
"""Pages that are looked at at once."""


@njit(_nrt=False)
def next_misplaced(chosen, device_of, hand, has_room):
    """The next page from `hand` on that belongs to the first device and may come, or does not and is there; or -1."""
    place = hand
    for _ in range(device_of.size // BLOCK + 2):  # the block of the hand comes twice, its first part last
        end = min(place - place % BLOCK + BLOCK, device_of.size)
        misplaced = 0
        for candidate in range(place, end):  # without a branch: many pages at once
            is_there = device_of[candidate] == 0
            misplaced |= (is_there & (not chosen[candidate])) | (chosen[candidate] & has_room & (not is_there))
        if misplaced:
            for candidate in range(place, end):
                is_there = device_of[candidate] == 0
                if (is_there and not chosen[candidate]) or (has_room and chosen[candidate] and not is_there):
                    return candidate
        place = end if end < device_of.size else 0
    return -1


def move(arrays, page, features, device_of, oldest, free, setting):
    """The next page that is not where it belongs, while the first device has room."""
    chosen, hand = arrays
    candidate = next_misplaced(chosen, device_of, hand[0], free[0] > 0)
    if candidate == -1:
        return -1
    hand[0] = (candidate + 1) % device_of.size
    return candidate * free.size if chosen[candidate] else (candidate + 1) * free.size - 1
