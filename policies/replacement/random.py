"""Random: evicts any line, all equally likely."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.replacement.lines import is_pinned
from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, high_uniform


@njit(cache=True, _nrt=False, inner=True)
def victim(order, pins):
    """The line of a full cache to clear; drawn again while it is pinned."""
    state = order.state[0]
    while True:
        number = high_uniform(bits(state.key, state.drawn, np.uint64(0)))
        state.drawn += np.uint64(1)
        line = np.int64(number * state.lines)
        if not is_pinned(pins, line):
            return line
