"""A window as slices, each with both pools in a steady state, while lines change and traces end."""

from __future__ import annotations

import math

from pmtwin.scenarios.nvm_middleware.model.analytic.pool import FULL_RATE, LINE, RATE, SERVICE_SCV
from pmtwin.scenarios.nvm_middleware.model.analytic.settings import solve_setting
from pmtwin.scenarios.nvm_middleware.model.analytic.workspace import MOST_SLICES
from pmtwin.sim.compiling import njit
from pmtwin.sim.queueing.transient import advance_line, spread_of_line, time_to_rest

SLICES = 8
"""Number of slices for a part of a window in which a line is not at rest."""

SHORTEST_PART = 0.2
"""Fraction of a window: shorter parts are not cut into slices."""

BISECTIONS = 7
"""Steps of the search for the offered rate whose steady state has the mean line of a moving line."""

DRAINED = 0.5
"""Lines of fewer requests than this count as empty at the end of a trace."""

MOST_LOAD = 1.5
"""Largest load in the search for the rate of a moving line; a line has its greatest length there."""

QUICK = 0.02
"""Fraction of a window: a line that comes to rest within it counts as being at rest at once."""

LEAST_BUDGET = 1e-9
LEAST_LEFT = 1e-6
"""Number of requests, and fraction of a window's answers, below which they count as zero."""

ENDED, DRAINING, OPEN = range(3)
"""States of a trace: all requests answered; all requests submitted, but a line is left; more requests to submit."""


@njit(cache=True, error_model="numpy", inner=True)
def run_slices(model, demands, pools, rates, requests, window, work):
    """Simulate a window; returns the number of its slices.

    Args:
        rates: shape (2,), per ns; infinite in closed loop, 0 for a class without clients.
        requests: number of answers that end the window.
        window: number of requests in a usual window, after which a trace's lag is forgotten.
        work: a `pmtwin.scenarios.nvm_middleware.model.analytic.workspace.WORKSPACE`. `budgets` and `lines` are updated;
            `slices`, `durations` and `counts` are written.
    """
    left, used, step = float(requests), 0, math.inf
    solved_for = (-1.0, -1.0)
    while left > LEAST_LEFT * requests and used < MOST_SLICES:
        traces = (trace_state(work, rates, 0), trace_state(work, rates, 1))
        active = (rates[0] if traces[0] > ENDED else 0.0, rates[1] if traces[1] > ENDED else 0.0)
        if active[0] + active[1] == 0.0:
            break
        if active[0] != solved_for[0] or active[1] != solved_for[1]:
            solve_setting(model, demands, pools, active, window, work.rest, work.times)
            solved_for, step = active, math.inf
            for c in range(2):
                if active[c] == 0.0:
                    work.lines[c] = 0.0
        usual = requests / (work.rest[0, RATE] + work.rest[1, RATE])
        duration = until_a_trace_ends(work, active, traces, left)
        if used == MOST_SLICES - 1 or come_to_rest(demands, active, traces, work, QUICK * usual):
            pass_at_rest(work, used, duration)
        else:
            step = min(step, max(duration, SHORTEST_PART * usual) / SLICES)
            duration = min(duration, step)
            target = (
                move_line(demands, work, 0, active[0], traces[0], used, duration),
                move_line(demands, work, 1, active[1], traces[1], used, duration),
            )
            stand_in(model, demands, pools, active, window, work, target, used)
        work.durations[used] = duration
        answered = work.counts[used, 0] + work.counts[used, 1]
        left -= answered
        used += 1
        if answered <= 0.0:
            break
    return used


@njit(cache=True, error_model="numpy", inner=True)
def trace_state(work, rates, c):
    """`ENDED`, `DRAINING` or `OPEN`."""
    if rates[c] == 0.0:
        return ENDED
    if work.budgets[c] > LEAST_BUDGET:
        return OPEN
    return DRAINING if work.lines[c] > DRAINED else ENDED


@njit(cache=True, error_model="numpy", inner=True)
def until_a_trace_ends(work, active, traces, left):
    """Time in ns until the window ends, a trace ends, or the line that an ended trace left is empty."""
    rest = work.rest
    duration = left / (rest[0, RATE] + rest[1, RATE])
    for c in range(2):
        if traces[c] == DRAINING:
            duration = min(duration, work.lines[c] / rest[c, FULL_RATE])
        elif active[c] > 0.0:
            duration = min(duration, work.budgets[c] / rest[c, RATE])
    return duration


@njit(cache=True, error_model="numpy", inner=True)
def pass_at_rest(work, used, duration):
    """Write a slice in which both pools are at rest."""
    work.slices[used] = work.rest
    for c in range(2):
        work.counts[used, c] = work.rest[c, RATE] * duration
        work.budgets[c] -= work.counts[used, c]


@njit(cache=True, error_model="numpy", inner=True)
def move_line(demands, work, c, rate, trace, used, duration):
    """Let a class's line grow or shrink during a slice, and count answers; returns the line in mid-slice."""
    full, line, at_rest = work.rest[c, FULL_RATE], work.lines[c], work.rest[c, LINE]
    further, answered = line, min(rate, full) * duration
    if trace == DRAINING:
        further = max(line - full * duration, 0.0)
        answered = line - further
    elif rate < math.inf:
        spread = spread_of_line(rate, full, at_rest, demands.interarrival_scv[c], work.rest[c, SERVICE_SCV])
        further = advance_line(line, rate - full, spread, at_rest, duration)
        if rate < full:
            answered = min(answered + line - further, full * duration)
    work.counts[used, c] = answered
    work.budgets[c] -= answered + further - line
    work.lines[c] = further
    return 0.5 * (line + further)


@njit(cache=True, error_model="numpy", inner=True)
def come_to_rest(demands, active, traces, work, soon):
    """Whether both lines are at rest; a line that reaches rest within `soon` (ns) is set to rest."""
    resting = True
    for c in range(2):
        full, mean, line = work.rest[c, FULL_RATE], work.rest[c, LINE], work.lines[c]
        if traces[c] == DRAINING:
            resting = False
            continue
        if 0.0 < active[c] < math.inf and line != mean:
            scv = demands.interarrival_scv[c]
            spread = spread_of_line(active[c], full, mean, scv, work.rest[c, SERVICE_SCV])
            if time_to_rest(line, mean, active[c] - full, spread) >= soon:
                resting = False
                continue
        work.lines[c] = mean
    return resting


@njit(cache=True, error_model="numpy", inner=True)
def stand_in(model, demands, pools, active, window, work, target, used):
    """Write a slice: the steady state whose mean lines are `target`, found by bisection of the rates."""
    first, second = rates_about(work, active, target, 0), rates_about(work, active, target, 1)
    for _ in range(BISECTIONS):
        middle = (0.5 * (first[0] + first[1]), 0.5 * (second[0] + second[1]))
        solve_setting(model, demands, pools, middle, window, work.slices[used], work.times)
        first = half_of(first, work.slices[used, 0, LINE] > target[0])
        second = half_of(second, work.slices[used, 1, LINE] > target[1])


@njit(cache=True, error_model="numpy", inner=True)
def rates_about(work, active, target, c):
    """(least, greatest) rate at which the line of a class may have the mean `target[c]` at rest."""
    rate, at_rest = active[c], work.rest[c, LINE]
    if not 0.0 < rate < math.inf or target[c] == at_rest:
        return rate, rate
    if target[c] < at_rest:
        return 0.0, rate
    return rate, max(rate, MOST_LOAD * work.rest[c, FULL_RATE])


@njit(cache=True, error_model="numpy", inner=True)
def half_of(ends, lower):
    """The lower or the upper half of an interval."""
    if ends[0] == ends[1]:  # also where both rates are infinite
        return ends
    middle = 0.5 * (ends[0] + ends[1])
    return (ends[0], middle) if lower else (middle, ends[1])
