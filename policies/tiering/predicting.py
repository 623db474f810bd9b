"""Requests of pages, predicted by a recurrent network from those of earlier periods, compiled (`rnn_hss.py`)."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.network.optimisers import OPTIMISERS, descend
from pmtwin.policies.network.recurrent import add_gradient, output
from pmtwin.policies.tiering.exchange import plan_exchange
from pmtwin.sim.compiling import njit

PERIODS = 8
"""Periods of a page's history: a byte each, the last one lowest."""

BYTE, MOST = np.uint64(8), 255
BATCH, ADAM = 32, list(OPTIMISERS).index("adam")
REMEMBERED = 4096
"""Predictions that are remembered: many pages have the same history."""


@njit(cache=True, inner=True)
def fill(sequence, history):
    """Write a history into `sequence`: logarithms of the requests of each period, the oldest first."""
    for place in range(PERIODS):
        requests = (history >> np.uint64(8 * (PERIODS - 1 - place))) & np.uint64(MOST)
        sequence[place] = np.log1p(np.float64(requests))


@njit(cache=True)
def learn(parameters, moments, steps, gradient, passed, histories, requests, rate):
    """A pass over pages, with a step of Adam for each batch; errors are those of the logarithms of requests."""
    sequence = np.zeros(PERIODS)
    batches = -(-histories.size // BATCH)
    for first in range(batches):
        gradient[:] = 0.0
        share = 1.0 / len(histories[first::batches])
        for row in range(first, histories.size, batches):
            fill(sequence, histories[row])
            error = sequence[-1] + output(parameters, sequence, passed) - np.log1p(np.float64(requests[row]))
            add_gradient(parameters, sequence, passed, error * share, gradient)
        steps[0] += 1
        descend(ADAM, parameters, gradient, moments, steps[0], rate)


@njit(cache=True)
def predicted(parameters, passed, history):
    """Requests for each page in the next period, as the network predicts them: shape (pages,); 0 without history."""
    requests, sequence = np.zeros(history.size), np.zeros(PERIODS)
    histories, values = np.zeros(REMEMBERED, np.uint64), np.zeros(REMEMBERED)
    for page in range(history.size):
        if history[page] == 0:
            continue
        place = np.int64(history[page] % np.uint64(REMEMBERED - 3))
        if histories[place] != history[page]:
            fill(sequence, history[page])
            histories[place] = history[page]
            values[place] = np.expm1(max(sequence[-1] + output(parameters, sequence, passed), 0.0))
        requests[page] = values[place]
    return requests


def used(arrays, page, pages, write, device_of):
    """Count the request."""
    arrays[1][page : page + pages] += 1


def plan(arrays, device_of, free, setting, moves):
    """Learn from the period that ends, and exchange pages by what is predicted for the next one."""
    history, requests, parameters, moments, steps, gradient, passed, numbers = arrays
    known = np.flatnonzero(history)
    if known.size > 0:
        chosen = known[:: -(-known.size // int(numbers[0]))]
        learn(parameters, moments, steps, gradient, passed, history[chosen], requests[chosen], numbers[1])
    for page in range(history.size):
        history[page] = (history[page] << BYTE) | np.uint64(min(requests[page], MOST))
    requests[:] = 0
    plan_exchange(predicted(parameters, passed, history), numbers[2], device_of, free, moves)
