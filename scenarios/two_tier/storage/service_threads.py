"""Change of the number of service threads while requests are in service and wait."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmtwin.scenarios.two_tier.storage.records import SERVED, Storage


def with_threads(storage: Storage, count: int, give_thread: Callable) -> Storage:
    """The storage with `count` service threads in each process.

    A request in service keeps its thread; a thread beyond the number ends with its request. Waiting requests are
    assigned to threads again, in order of arrival.

    Args:
        storage: present state; its events are changed.
        count: number of service threads of a process.
        give_thread: `give_thread` of the kernel.
    """
    client, events, now = storage.client, storage.events, storage.tally["now_s"][0]
    size = int(events.size[0])
    numbers, times = events.numbers[:size], events.times[:size]
    end_s = np.full(len(client), np.nan)
    is_client = numbers < len(client)
    end_s[numbers[is_client]] = times[is_client]
    served = np.flatnonzero(client["step"] == SERVED)
    has_thread = client["thread_s"][served] <= now
    holding, waiting = served[has_thread], served[~has_thread]
    changed = storage._replace(free=np.zeros((len(storage.process), count)))
    owner, locked = storage.page["owner"][client["page"]], storage.page["locked_until"]
    for number in holding[np.argsort(end_s[holding])].tolist():  # threads that remain belong to the last ones to end
        free = changed.free[owner[number]]
        free[free.argmin()] = end_s[number]
    if storage.setting["writes"][0]:
        locked[client["page"][served]] = 0.0
        np.maximum.at(locked, client["page"][holding], end_s[holding])
    for number in waiting[np.argsort(client["turn"][waiting])].tolist():
        end_s[number] = give_thread(changed, now, number)
    times[is_client] = end_s[numbers[is_client]]
    order = np.lexsort((numbers, times))  # sorted events form a heap
    numbers[:], times[:] = numbers[order], times[order]
    return changed
