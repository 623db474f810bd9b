"""The compiled functions of policy `gain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.policies.tiering.features import EVICTIONS, PAGE, PAGE_BYTES, PAGES
from pmtwin.policies.tiering.rates import make_rates, note_use, rate
from pmtwin.sim.compiling import njit

if TYPE_CHECKING:
    from pmtwin.policies.tiering.gain import GainOptions

NOBODY = -1

LOOKED_AT = 8
"""Pages that the storage proposes in idle time before one moves."""

MOST_WAITING = 8
"""Pages that wait in the queue to be read again at most, where devices are not idle."""

LONGEST_RUN = 64
"""Adjacent pages that leave the first device together at most."""

AS_COLD = 2.0
"""Rate of such a page at most, in that of the coldest."""

ANSWERED, LOOKED, COLD, BEST, BEST_PAGES, NEXT, END, LEAVES, LEFT = range(9)
"""Numbers: whether a request was answered since the last page was named; pages looked at, and the coldest of them;
first page and pages of the best request that the first device lacked; pages to promote, from `NEXT` to before `END`;
pages that leave the first device, from `LEAVES` to before `LEFT`."""

HORIZON, WRITES, WEAR, KEPT_FREE, PRICE = range(5)
"""Limits: horizon in accesses; weight of writes; price of a page that is written, in ns; share that is kept free; rate
of a request that waits for room."""

OLDEST, FREE, CAPACITY = range(3)
"""Rows of `room`, by devices: least recently used page and free pages when they were last told; capacity."""

READ, WRITE = 0, 2
"""Columns of `times`: latency of an access, then time of each page; in ns."""


def make_arrays(storage, options: GainOptions) -> tuple[np.ndarray, ...]:
    """Sums and scales (`rates.py`), numbers, limits, room and times, before the first request."""
    capacity, devices = storage.capacity, storage.devices
    numbers = np.array([0, 0, NOBODY, NOBODY, 0, 0, 0, 0, 0])
    limits = np.array([options.horizon * capacity[0], options.writes, 1e3 * options.wear, options.free / 100.0, 0.0])
    room = np.array([[NOBODY] * len(devices), capacity, capacity], np.int64)
    times = np.array([
        [
            time
            for write in (False, True)
            for time in (device.latency_ns(write, cached=storage.cached), device.transfer_ns(write, PAGE_BYTES))
        ]
        for device in devices
    ])  # fmt: skip
    return (*make_rates(storage.pages, options.memory * capacity[0]), numbers, limits, room, times)


@njit(cache=True, _nrt=False)
def taken(times, device, column, pages):
    """Time of an access to an idle device."""
    return times[device, column] + times[device, column + 1] * pages


def decide(arrays, features, mask):
    """The first device on which the write and its pages gain more than what leaves, else the last possible one."""
    sums, scales, _, limits, room, times = arrays
    page, pages, last = int(features[PAGE]), int(features[PAGES]), mask.size - 1
    earns = rate(sums, scales, page, pages)
    for device in range(last):
        if not mask[device]:
            continue
        evicted = features[EVICTIONS] if device == 0 else float(max(pages - room[FREE, device], 0))
        gain = taken(times, device + 1, WRITE, pages) - taken(times, device, WRITE, pages)
        price = limits[PRICE] if device == 0 else 0.0
        if evicted > 0.0:
            gain -= taken(times, device, READ, evicted) + taken(times, device + 1, WRITE, evicted)
            gain -= limits[WEAR] * evicted
            oldest = room[OLDEST, device]
            price = 0.0 if oldest == NOBODY else rate(sums, scales, oldest, 1)
        if gain + limits[HORIZON] * pages * (earns - price) > 0.0:
            return device
    return mask.size - 1 - np.argmax(mask[::-1])


def used(arrays, page, pages, write, device_of):
    """Credit the pages with the time that the first device saves, and note the best read that it lacked."""
    sums, scales, numbers, limits, _, times = arrays
    last, column = times.shape[0] - 1, WRITE if write else READ
    saved = max(taken(times, last, column, pages) - taken(times, 0, column, pages), 0.0)
    note_use(sums, scales, page, pages, saved / pages * (limits[WRITES] if write else 1.0))
    numbers[ANSWERED] = 1
    if not write and _next_away(device_of, page, page + pages) < page + pages:
        best, most = numbers[BEST], numbers[BEST_PAGES]
        if best == NOBODY or rate(sums, scales, page, pages) >= rate(sums, scales, best, most):
            numbers[BEST], numbers[BEST_PAGES] = page, pages


@njit(cache=True, _nrt=False)
def _next_away(device_of, page, end):
    """The first page from `page` on that is not on the first device; `end`: none before it."""
    while page < end and device_of[page] == 0:
        page += 1
    return page


def move(arrays, page, features, device_of, oldest, free, setting):
    """In idle time a cold page while too little is free; else the next page of a request that is worth its move."""
    numbers, room = arrays[2], arrays[4]
    for device in range(free.size):
        room[OLDEST, device], room[FREE, device] = oldest[device], free[device]
    is_idle = numbers[ANSWERED] == 0
    numbers[ANSWERED] = 0
    if is_idle:
        leaves = _next_in_run(numbers, device_of)
        if leaves != NOBODY:
            return leaves * free.size + 1
        _look_at(arrays, page, device_of)
        if numbers[LOOKED] < LOOKED_AT:  # a page that stays where it is: the next one is proposed
            return max(page, 0) * free.size + device_of[max(page, 0)]
        numbers[LOOKED] = 0
        answer = _cleaned(arrays, device_of)
        if answer != NOBODY:
            return answer
    if numbers[NEXT] >= numbers[END]:
        _choose_request(arrays, device_of, is_idle)
    following = _next_away(device_of, numbers[NEXT], numbers[END])
    numbers[NEXT] = following + 1
    return following * free.size if following < numbers[END] and free[0] > 0 else NOBODY


@njit(cache=True, _nrt=False)
def _look_at(arrays, page, device_of):
    """Keep the coldest of the pages of the first device that were proposed."""
    sums, scales, numbers, _, room, _ = arrays
    numbers[LOOKED] += 1
    cold = numbers[COLD]
    if cold == NOBODY or device_of[cold] > 0:
        cold = room[OLDEST, 0]
    if page != NOBODY and device_of[page] == 0 and rate(sums, scales, page, 1) < rate(sums, scales, cold, 1):
        cold = page
    numbers[COLD] = cold


@njit(cache=True, _nrt=False)
def _cleaned(arrays, device_of):
    """The answer that moves a page away from a device with too little free; -1: none has."""
    _, _, numbers, limits, room, _ = arrays
    devices = room.shape[1]
    for device in range(devices - 1):
        cold = numbers[COLD] if device == 0 else room[OLDEST, device]
        if cold != NOBODY and room[FREE, device] < limits[KEPT_FREE] * room[CAPACITY, device]:
            if device > 0:
                return cold * devices + device + 1
            _find_run(arrays, device_of, cold)
            numbers[COLD] = NOBODY
            return _next_in_run(numbers, device_of) * devices + 1
    return NOBODY


@njit(cache=True, _nrt=False, inner=True)
def _find_run(arrays, device_of, cold):
    """The pages around a cold one that are about as cold: requests use them together, so that they move together."""
    sums, scales, numbers, _, room, _ = arrays
    most, longest = AS_COLD * rate(sums, scales, cold, 1), min(LONGEST_RUN, max(room[CAPACITY, 0] // 8, 1))
    begin, end = cold, cold + 1
    while begin > 0 and end - begin < longest and _is_cold(arrays, device_of, begin - 1, most):
        begin -= 1
    while end < device_of.size and end - begin < longest and _is_cold(arrays, device_of, end, most):
        end += 1
    numbers[LEAVES], numbers[LEFT] = begin, end


@njit(cache=True, _nrt=False, inner=True)
def _is_cold(arrays, device_of, page, most):
    """Whether a page of the first device is to leave it with the coldest one."""
    return device_of[page] == 0 and rate(arrays[0], arrays[1], page, 1) <= most


@njit(cache=True, _nrt=False)
def _next_in_run(numbers, device_of):
    """The next page that leaves with others; -1: all have."""
    while numbers[LEAVES] < numbers[LEFT]:
        page = numbers[LEAVES]
        numbers[LEAVES] += 1
        if device_of[page] == 0:
            return page
    return NOBODY


@njit(cache=True, _nrt=False)
def _choose_request(arrays, device_of, is_idle):
    """Promote the best request if it is worth it and there is room; without room writes have to pay its price."""
    sums, scales, numbers, limits, room, times = arrays
    best, pages = numbers[BEST], numbers[BEST_PAGES]
    limits[PRICE] = 0.0
    if best == NOBODY or (pages > MOST_WAITING and not is_idle):
        return
    away = _next_away(device_of, best, best + pages)
    cold = numbers[COLD] if is_idle else room[OLDEST, 0]
    earns = rate(sums, scales, best, pages) - (0.0 if cold == NOBODY else rate(sums, scales, cold, 1))
    if away == best + pages or limits[HORIZON] * earns <= _exchange_ns(times, device_of[away]) + 2.0 * limits[WEAR]:
        numbers[BEST] = NOBODY
    elif room[FREE, 0] < pages:
        limits[PRICE] = rate(sums, scales, best, pages)
    else:
        numbers[BEST], numbers[NEXT], numbers[END] = NOBODY, away, best + pages


@njit(cache=True, _nrt=False, inner=True)
def _exchange_ns(times, slow):
    """Time that devices take to move a page to the first one, and another one back."""
    return (
        taken(times, slow, READ, 1)
        + taken(times, 0, WRITE, 1)
        + taken(times, 0, READ, 1)
        + taken(times, slow, WRITE, 1)
    )
