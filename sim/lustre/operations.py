"""Operations of the threads, by the pattern of the load, compiled."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.lustre.draws import appended_units, is_read, place_of_operation
from pmtwin.sim.lustre.load import FILES, PATTERNS, RANDOM
from pmtwin.sim.lustre.records import APPENDING, CREATING, DELETING, READING
from pmtwin.sim.stations.hard_disk import READ, WRITE

AT_RANDOM, ON_FILES = PATTERNS.index(RANDOM), PATTERNS.index(FILES)
ENDLESS = np.int64(1) << 60


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def begin_operation(state, t):
    """A thread's next operation: its kind, its units and where they lie; no units of one on metadata alone."""
    thread, setting = state.thread[t], state.setting[0]
    number = thread.operations
    thread.operations += 1
    place = place_of_operation(thread.key, number, setting.servers * setting.units)
    thread.first, thread.base, thread.following, thread.left = place % setting.servers, place // setting.servers, 0, 1
    if t % setting.threads < setting.readers:
        thread.kind = READ
        return
    if setting.pattern == AT_RANDOM:
        thread.kind = READ if is_read(thread.key, number, setting.read_share) else WRITE
        return
    if setting.pattern == ON_FILES:
        thread.stage = CREATING if thread.stage == DELETING else thread.stage + 1
        thread.kind = READ if thread.stage == READING else WRITE
        thread.left = setting.file_units
        if thread.stage == APPENDING:
            thread.left = appended_units(state.tables, thread.key, number)
        elif thread.stage == DELETING:
            thread.left = 0
        return
    thread.kind, thread.left = WRITE, ENDLESS
    thread.first, thread.base = 0, setting.units * (t % setting.threads) // setting.threads
