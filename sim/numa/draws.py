"""Random draws of operations, by counter: both engines and any order of events see the same."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, high_uniform, low_uniform, place_of
from pmtwin.sim.numa.load import GET, PUT

_0, _1, _TOP_TEN = np.uint64(0), np.uint64(1), np.uint64(54)


@njit(cache=True, _nrt=False, forceinline=True)
def operation_of(state, thread):
    """(get or put, node of the data) of a thread's next operation."""
    entry = state.thread[thread]
    drawn = bits(entry.key, np.uint64(entry.operations), _0)
    operation = GET if high_uniform(drawn) < state.setting[0].read_share else PUT
    if entry.single:
        return operation, entry.home
    node, place = 0, low_uniform(drawn)
    while place >= state.shares[thread, node]:
        node += 1
    return operation, node


@njit(cache=True, _nrt=False, forceinline=True)
def work_of(state, thread):
    """Work of a thread's next operation: its mean is 1."""
    if state.noise.size == 1:
        return 1.0
    entry = state.thread[thread]
    drawn = bits(entry.key, np.uint64(entry.operations), _1)
    return state.noise[place_of(drawn, drawn >> _TOP_TEN)]
