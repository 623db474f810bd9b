"""One window: its slices, each with both pools as if at rest, while lines grow and shrink and traces come to an end."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.analytic.pool import FULL_RATE, LINE, RATE, SERVICE_SCV
from pmtwin.sim.analytic.settings import solve_setting
from pmtwin.sim.analytic.transient import advance_line, spread_of_line, time_to_rest
from pmtwin.sim.compiling import njit

SLICES = 8
"""Slices of a part of a window in which a line is not at rest."""

MOST_SLICES = 40
BISECTIONS = 7
"""Of the offered rate at which a line would be at rest that is not."""

DRAINED = 0.5
"""Requests in line that count as none at the end of a trace."""

MOST_LOAD = 1.5
"""Load at which a line is as full as it gets."""

QUICK = 0.02
"""Part of a window within which a line comes to rest that counts as being there at once."""


@njit(cache=True, error_model="numpy")
def run_slices(model, demands, pools, rates, requests, window, budgets, lines, times, rest, slices, durations, counts):
    """Let a window pass; returns the number of its slices.

    Args:
        rates: shape (2,), per ns; infinite in closed loop.
        requests: answers that end the window.
        window: requests of a usual window, after which what a trace is late is forgotten.
        budgets: shape (2,), requests that may still be submitted; less of them afterwards.
        lines: shape (2,), mean numbers of requests in line; those at the end afterwards.
        times, rest: scratch, as of `solve_setting`.
        slices: shape (MOST_SLICES, 2, FIELDS), the pools in each slice, written.
        durations: shape (MOST_SLICES,), in ns, written.
        counts: shape (MOST_SLICES, 2), answers of each class in each slice, written.
    """
    left, solved_for, used, step = float(requests), -1, 0, math.inf
    target, further = np.empty(2), np.empty(2)
    while left > 1e-6 * requests and used < MOST_SLICES:
        drains = (budgets[0] <= 1e-9 and lines[0] > DRAINED, budgets[1] <= 1e-9 and lines[1] > DRAINED)
        active = (
            rates[0] if budgets[0] > 1e-9 or drains[0] else 0.0,
            rates[1] if budgets[1] > 1e-9 or drains[1] else 0.0,
        )
        code = 2 * (active[0] > 0.0) + (active[1] > 0.0)
        if code == 0:
            break
        if code != solved_for:
            solve_setting(model, demands, pools, active, window, rest, times)
            solved_for, step = code, math.inf
            for c in range(2):
                if active[c] == 0.0:
                    lines[c] = 0.0
        duration = left / (rest[0, RATE] + rest[1, RATE])
        usual = requests / (rest[0, RATE] + rest[1, RATE])
        for c in range(2):
            if drains[c]:
                duration = min(duration, lines[c] / rest[c, FULL_RATE])
            elif active[c] > 0.0:
                duration = min(duration, budgets[c] / rest[c, RATE])
        if used == MOST_SLICES - 1 or come_to_rest(demands, active, drains, rest, lines, QUICK * usual):
            slices[used] = rest
            for c in range(2):
                counts[used, c] = rest[c, RATE] * duration
                budgets[c] -= counts[used, c]
        else:
            step = min(step, max(duration, 0.2 * usual) / SLICES)
            duration = min(duration, step)
            for c in range(2):
                full, line = rest[c, FULL_RATE], lines[c]
                further[c] = line
                answered = min(active[c], full) * duration
                if drains[c]:  # the trace has come to its end, the line has not
                    further[c] = max(line - full * duration, 0.0)
                    answered = line - further[c]
                elif active[c] < math.inf:
                    scv = demands.interarrival_scv[c]
                    spread = spread_of_line(active[c], full, rest[c, LINE], scv, rest[c, SERVICE_SCV])
                    further[c] = advance_line(line, active[c] - full, spread, rest[c, LINE], duration)
                    if active[c] < full:
                        answered = min(answered + line - further[c], full * duration)
                target[c] = 0.5 * (line + further[c])
                counts[used, c] = answered
                budgets[c] -= answered + further[c] - line
                lines[c] = further[c]
            stand_in(model, demands, pools, active, window, rest, target, times, slices[used])
        durations[used] = duration
        moved = counts[used, 0] + counts[used, 1]
        left -= moved
        used += 1
        if moved <= 0.0:
            break
    return used


@njit(cache=True, error_model="numpy")
def come_to_rest(demands, active, drains, rest, lines, soon):
    """Whether both lines are at rest; those that are within a time of `soon`, in ns, are taken there."""
    resting = True
    for c in range(2):
        full, mean = rest[c, FULL_RATE], rest[c, LINE]
        if drains[c]:
            resting = False
            continue
        if 0.0 < active[c] < math.inf and lines[c] != mean:
            spread = spread_of_line(active[c], full, mean, demands.interarrival_scv[c], rest[c, SERVICE_SCV])
            if time_to_rest(lines[c], mean, active[c] - full, spread) >= soon:
                resting = False
                continue
        lines[c] = mean
    return resting


@njit(cache=True, error_model="numpy")
def stand_in(model, demands, pools, active, window, rest, target, times, state):
    """Solve the setting whose lines at rest have the means `target`, written into `state`: of rates that differ."""
    low, high = np.empty(2), np.empty(2)
    for c in range(2):
        low[c] = high[c] = active[c]
        if 0.0 < active[c] < math.inf and target[c] < rest[c, LINE]:
            low[c] = 0.0
        elif 0.0 < active[c] < math.inf and target[c] > rest[c, LINE]:
            high[c] = max(active[c], MOST_LOAD * rest[c, FULL_RATE])
    for _ in range(BISECTIONS):
        middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]))
        solve_setting(model, demands, pools, middle, window, state, times)
        for c in range(2):
            if low[c] < high[c]:
                if state[c, LINE] > target[c]:
                    high[c] = middle[c]
                else:
                    low[c] = middle[c]
