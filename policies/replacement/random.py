"""Random: any line, all equally likely."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, high_uniform


@njit(cache=True, _nrt=False)
def victim(order):
    """The line that goes, of a full cache."""
    state = order.state[0]
    number = high_uniform(bits(state.key, state.drawn, np.uint64(0)))
    state.drawn += np.uint64(1)
    return np.int64(number * state.lines)
