"""S3-FIFO (Yang and others, SOSP 2023): a small queue for new pages, a main queue, and ghosts of the small queue.

The small queue has a tenth of the lines. A page that is used at least twice there moves to the main queue; a page with
a ghost enters the main queue directly. There are as many ghosts as the main queue has lines. The main queue gives a
line another round for each use, three at most. As in libCacheSim, new pages go to the main queue while the small queue
is full and no page has been evicted, and the search for a victim stays in its queue while that has lines.
"""

from __future__ import annotations

from pmtwin.policies.replacement.ghosts import NOWHERE, forget_oldest, recall, remember
from pmtwin.policies.replacement.lines import ENDS, join_list, leave_list, oldest
from pmtwin.sim.compiling import njit

SMALL, MAIN = 0, 1
SMALL_SHARE = 0.1
MOVES_ON, MOST_ROUNDS = 2, 3
"""Uses in the small queue after which a line moves to the main queue; largest number of rounds in the main queue."""


def ghost_pages(lines: int) -> int:
    """Number of ghosts."""
    return int(lines * (1.0 - SMALL_SHARE))


@njit(cache=True, _nrt=False, inner=True)
def prepare(order):
    """Set the length of the small queue."""
    order.state[0].small = int(order.state[0].lines * SMALL_SHARE)


@njit(cache=True, _nrt=False, inner=True)
def _append(order, queue, line, count):
    order.lines[line].count = count
    join_list(order, queue, line)


@njit(cache=True, _nrt=False, inner=True)
def hit(order, line):
    """The line is used."""
    order.lines[line].count += 1


@njit(cache=True, _nrt=False, inner=True)
def miss(order, page):
    """A page is not cached: look for its ghost."""
    order.state[0].came_from = recall(order, page)


@njit(cache=True, _nrt=False, inner=True)
def admit(order, line):
    """A page is put into the line."""
    state = order.state[0]
    filling = state.overflowed == 0 and state.size[SMALL] >= state.small
    _append(order, MAIN if filling or state.came_from != NOWHERE else SMALL, line, 0)


@njit(cache=True, _nrt=False, inner=True)
def victim(order, pins):
    """The line to clear, after other lines have moved to the main queue or begun another round."""
    state = order.state[0]
    state.overflowed = 1
    queue = MAIN if state.size[MAIN] > state.lines - state.small or state.size[SMALL] == 0 else SMALL
    while True:
        line = oldest(order, queue, pins)
        if line >= state.lines:  # the queue is empty, or all its lines are pinned
            queue = SMALL if queue == MAIN else MAIN
            continue
        rounds = min(order.lines[line].count, MOST_ROUNDS)
        if rounds < (1 if queue == MAIN else MOVES_ON):
            return line
        leave_list(order, line)
        _append(order, MAIN, line, rounds - 1 if queue == MAIN else 0)


@njit(cache=True, _nrt=False, inner=True)
def evict(order, line, page):
    """The page of the line leaves; from the small queue it becomes a ghost."""
    if order.lines[line].tag == SMALL:
        if order.state[0].ghosts[SMALL] == order.ghosts.size - ENDS - 1:
            forget_oldest(order, SMALL)
        remember(order, SMALL, page)
    leave_list(order, line)
