"""MIN (Belady 1966): evicts the page whose next request is furthest away. No demand-paging policy has fewer misses.

It knows the future: each request comes with the number of the next request for the same page. The lines form a heap by
next use, with the victim at its top.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit

NEVER = 1 << 62
"""Next use of a page that is not requested again."""


@njit(cache=True, _nrt=False, inner=True)
def _place(order, place, line):
    order.groups[0, place] = line
    order.lines[line].tag = place


@njit(cache=True, _nrt=False, inner=True)
def _settle(order, place, line):
    """Move a line, up or down the heap, from a place to where its next use belongs."""
    heap, next_use, size = order.groups[0], order.next_use, order.state[0].size[0]
    key = next_use[line]
    while place > 0 and next_use[heap[(place - 1) // 2]] < key:
        _place(order, place, heap[(place - 1) // 2])
        place = (place - 1) // 2
    while True:
        child = 2 * place + 1
        if child + 1 < size and next_use[heap[child + 1]] > next_use[heap[child]]:
            child += 1
        if child >= size or next_use[heap[child]] <= key:
            break
        _place(order, place, heap[child])
        place = child
    _place(order, place, line)


@njit(cache=True, _nrt=False, inner=True)
def admit(order, line):
    """A page is put into the line."""
    state = order.state[0]
    state.size[0] += 1
    order.next_use[line] = state.next_use
    _settle(order, state.size[0] - 1, line)


@njit(cache=True, _nrt=False, inner=True)
def hit(order, line):
    """The line is used: its next use is later than before."""
    order.next_use[line] = order.state[0].next_use
    _settle(order, order.lines[line].tag, line)


@njit(cache=True, _nrt=False, inner=True)
def victim(order):
    """The line to clear."""
    return order.groups[0, 0]


@njit(cache=True, _nrt=False, inner=True)
def evict(order, line):
    """The page of the line leaves: the heap's last line takes its place."""
    state, place = order.state[0], order.lines[line].tag
    state.size[0] -= 1
    last = order.groups[0, state.size[0]]
    if last != line:
        _settle(order, place, last)
