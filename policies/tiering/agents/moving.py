"""The compiled events of agents that move pages."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.tiering.agents.delayed import BY_ALL, note_latency, note_move, packed
from pmtwin.policies.tiering.agents.learning import choose, close, count_request, remember, see
from pmtwin.policies.tiering.agents.parts import PARTS
from pmtwin.sim.compiling import njit
from pmtwin.sim.compiling.reference import referred

MS = 1e-6
NAMED, BOOK, GROUPED, SUMS, DELAY = range(PARTS, PARTS + 5)
"""Arrays behind those of every agent (`MigrationAgent.arrays`)."""

ANYWHERE = np.zeros(0, np.bool_)


def used(arrays, page, pages, write, device_of):
    """A request is answered."""
    arrays[DELAY][0].follows = 1


def move(arrays, page, features, device_of, oldest, free, setting):
    """The device where a page that the storage proposes belongs."""
    return _moved_to(arrays, page, features, device_of, free.size)


def answered(arrays, latency_ns, write):
    """Latencies make the reward; requests are counted for trainings."""
    _note_answer(arrays, latency_ns, write)


def moved(arrays, page, origin, target):
    """A page was moved."""
    note_move(arrays[NAMED], arrays[BOOK], arrays[GROUPED], arrays[SUMS], arrays[DELAY], page, target)


@njit(cache=True, _nrt=False)
def _moved_to(arrays, page, features, device_of, devices):
    agent, state = referred(arrays[:PARTS]), arrays[DELAY][0]
    follows, state.follows = state.follows, 0
    if page < 0 or (state.idle_only and follows):
        return -1
    see(agent, features)
    close(agent)
    action = choose(agent, ANYWHERE)
    stays = action == device_of[page]
    if stays or state.credit == BY_ALL:
        remember(agent, action, 0.0)
    if not stays:
        arrays[NAMED][page] = packed(agent, action)
    return page * devices + action


@njit(cache=True, _nrt=False)
def _note_answer(arrays, latency_ns, write):
    agent, state = referred(arrays[:PARTS]), arrays[DELAY][0]
    if write or not state.writes:
        note_latency(agent, arrays[BOOK], arrays[GROUPED], arrays[SUMS], arrays[DELAY], latency_ns * MS)
    if not (state.reads_only and write):
        count_request(agent)
