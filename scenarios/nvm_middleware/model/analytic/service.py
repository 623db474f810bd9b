"""Moments of a worker's service time, given the number of other requests in service."""

from __future__ import annotations

import math

from pmtwin.scenarios.nvm_middleware.model.analytic.demands import (
    DEVICE,
    DEVICE_VAR,
    HAND,
    HAND_2,
    HAND_DEVICE,
    HAND_SOFT,
    SOFT,
    SOFT_2,
    SOFT_DEVICE,
    corner,
)  # fmt: skip
from pmtwin.sim.compiling import njit
from pmtwin.sim.host.station import LEAST_SPEED, MAX_RUNNABLE

MOST_HELD = 0.95
"""Largest share of the processors' speed that the other class's accesses hold, while the shares are still unsettled."""


@njit(cache=True, error_model="numpy", inner=True)
def at(table, number):
    """Value of a host's table at a real number of threads, by linear interpolation."""
    number = min(max(number, 0.0), MAX_RUNNABLE - 1e-6)
    low = int(number)
    return table[low] + (number - low) * (table[low + 1] - table[low])


@njit(cache=True, error_model="numpy", inner=True)
def host_factors(model, threads, running, held):
    """(work of a hand-off, factor on the store's software, ns per ns of work, wait of a preempted thread).

    Args:
        threads: number of threads that want a hardware thread.
        running: number of operations in progress, this one included.
        held: number of hardware threads that accesses to the device hold.
    """
    hand = at(model.handoff_ns, threads)
    store = at(model.kv_factor, running) * at(model.crowding, threads)
    slowness = at(model.inverse_rate, threads)
    others = threads - held
    if held > 0.0 and others > 0.0:
        slowness = others / max(threads / slowness - held, LEAST_SPEED)
    return hand, store, slowness, at(model.preempted_ns, threads)


@njit(cache=True, error_model="numpy", inner=True)
def held_slowness(slowness, threads, holding, held, work, device):
    """ns per ns of work where accesses to the device hold hardware threads.

    The part of a request's time that is in the device shrinks as work slows down. So what its class holds follows from
    the slowness x: with N threads, speed of all P, work w, time in the device d, n others of the class, and h held by
    the other class, x (P - h - n d / (x w + d)) = N - h - n d / (x w + d), a quadratic equation with one root above 0.

    Args:
        slowness: ns per ns of work if nothing were held.
        threads: N, number of threads that want a hardware thread.
        holding: n, number of other requests of the class in service.
        held: h, number of hardware threads that accesses of the other class hold.
        work: w, mean work of a request on the host, ns.
        device: d, its mean time in the device, ns.
    """
    speed = threads / slowness
    held = min(held, MOST_HELD * speed)
    square = (speed - held) * work
    linear = (speed - held - holding) * device - (threads - held) * work
    constant = -max(threads - held - holding, 0.0) * device
    root = math.sqrt(linear * linear - 4.0 * square * constant)
    if linear > 0.0:  # without a difference of nearly equal numbers
        return max(-2.0 * constant / (linear + root), 1.0)
    return max((root - linear) / (2.0 * square), 1.0)


@njit(cache=True, error_model="numpy", inner=True)
def kind_service(model, demands, kind, hand, store, slowness, preempted, waking, device_ns):
    """(mean work on the host, mean time, its variance, probability of a preemption) of a request of a kind.

    Times exclude preemptions and stalls.
    """
    m = demands.moments[kind]
    work = hand * m[HAND] + store * m[SOFT] + waking
    square = hand * hand * m[HAND_2] + store * store * m[SOFT_2] + 2.0 * hand * store * m[HAND_SOFT]
    square += waking * (2.0 * work - waking)
    slowdown = device_ns / m[DEVICE]
    shared = hand * m[HAND_DEVICE] + store * m[SOFT_DEVICE] + waking * m[DEVICE] - work * m[DEVICE]
    mean = work * slowness + device_ns
    variance = (demands.noise_square * square - work * work) * slowness * slowness
    variance += slowdown * slowdown * m[DEVICE_VAR] + 2.0 * slowness * slowdown * shared
    taken = min(work / model.preemption_ns, 1.0) if preempted > 0.0 else 0.0
    return work, mean, max(variance, 0.0), taken


@njit(cache=True, error_model="numpy", inner=True)
def class_service(model, demands, c, threads, running, holding, held, waking, first, second):
    """(mean, second moment of the time that a worker keeps a request of class `c`, mean of it in the device).

    Args:
        threads, running: see `host_factors`.
        holding, held: see `held_slowness`; 0 where accesses hold no hardware thread.
        waking: mean work to wake the worker, ns.
        first, second: numbers of operations of both classes in the device, this one included.
    """
    hand, store, slowness, preempted = host_factors(model, threads, running, 0.0)
    m = demands.means
    i, u, j, v = corner(demands, first, second)
    low, high, table = (1.0 - u) * (1.0 - v), u * (1.0 - v), demands.products
    low_next, high_next = (1.0 - u) * v, u * v
    device = low * table[c, i, j, 0] + high * table[c, i + 1, j, 0]
    device += low_next * table[c, i, j + 1, 0] + high_next * table[c, i + 1, j + 1, 0]
    square = low * table[c, i, j, 1] + high * table[c, i + 1, j, 1]
    square += low_next * table[c, i, j + 1, 1] + high_next * table[c, i + 1, j + 1, 1]
    by_hand = low * table[c, i, j, 2] + high * table[c, i + 1, j, 2]
    by_hand += low_next * table[c, i, j + 1, 2] + high_next * table[c, i + 1, j + 1, 2]
    by_soft = low * table[c, i, j, 3] + high * table[c, i + 1, j, 3]
    by_soft += low_next * table[c, i, j + 1, 3] + high_next * table[c, i + 1, j + 1, 3]
    work = hand * m[c, HAND] + store * m[c, SOFT] + waking
    if holding > 0.0 or held > 0.0:
        slowness = held_slowness(slowness, threads, holding, held, work, device)
    squares = hand * hand * m[c, HAND_2] + store * store * m[c, SOFT_2] + 2.0 * hand * store * m[c, HAND_SOFT]
    squares += waking * (2.0 * work - waking)
    square += slowness * slowness * demands.noise_square * squares
    square += 2.0 * slowness * (hand * by_hand + store * by_soft + waking * device)
    mean = work * slowness + device
    taken = min(work / model.preemption_ns, 1.0) if preempted > 0.0 else 0.0
    rare = taken * preempted + demands.rare[c, 0]
    square += 2.0 * mean * rare + taken * preempted * preempted + demands.rare[c, 1]
    return mean + rare, square, device


@njit(cache=True, error_model="numpy")
def device_mean(demands, c, first, second):
    """Mean time in ns of a request of class `c` in the device."""
    i, u, j, v = corner(demands, first, second)
    table = demands.products
    low = table[c, i, j, 0] + v * (table[c, i, j + 1, 0] - table[c, i, j, 0])
    high = table[c, i + 1, j, 0] + v * (table[c, i + 1, j + 1, 0] - table[c, i + 1, j, 0])
    return low + u * (high - low)
