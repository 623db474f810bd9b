"""Another number of service threads while requests have some of them and others wait."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmtwin.scenarios.two_tier.storage.records import SERVED, Storage


def with_threads(storage: Storage, count: int, give_thread: Callable) -> Storage:
    """The storage with so many service threads in each process from now on.

    A request that has a thread keeps it, and one beyond the number leaves with its request. Those that wait are given
    threads anew, in the order in which they came.

    Args:
        give_thread: of the kernel.
    """
    client, events, now = storage.client, storage.events, storage.tally["now_s"][0]
    size = int(events.size[0])
    numbers, times = events.numbers[:size], events.times[:size]
    end_s = np.full(len(client), np.nan)
    of_clients = numbers < len(client)
    end_s[numbers[of_clients]] = times[of_clients]
    served = np.flatnonzero(client["step"] == SERVED)
    has = client["thread_s"][served] <= now
    holding, waiting = served[has], served[~has]
    changed = storage._replace(free=np.zeros((len(storage.process), count)))
    owner, locked = storage.page["owner"][client["page"]], storage.page["locked_until"]
    for number in holding[np.argsort(end_s[holding])].tolist():  # the last ones to end have the threads that stay
        free = changed.free[owner[number]]
        free[free.argmin()] = end_s[number]
    if storage.setting["writes"][0]:
        locked[client["page"][served]] = 0.0
        np.maximum.at(locked, client["page"][holding], end_s[holding])
    for number in waiting[np.argsort(client["turn"][waiting])].tolist():
        end_s[number] = give_thread(changed, now, number)
    times[of_clients] = end_s[numbers[of_clients]]
    order = np.lexsort((numbers, times))  # in order they are a heap
    numbers[:], times[:] = numbers[order], times[order]
    return changed
