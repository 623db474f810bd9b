"""How long a worker keeps a request, as moments, given how many others are served."""

from __future__ import annotations

from pmtwin.sim.analytic.demands import (
    DEVICE, DEVICE_VAR, HAND, HAND_2, HAND_DEVICE, HAND_SOFT, SOFT, SOFT_2, SOFT_DEVICE, corner, device_time,
)  # fmt: skip
from pmtwin.sim.compiling import njit
from pmtwin.sim.host import LEAST_SPEED, MAX_RUNNABLE


@njit(cache=True, error_model="numpy")
def at(table, number):
    """A table of the host over a number of threads, linear between whole numbers."""
    number = min(max(number, 0.0), MAX_RUNNABLE - 1e-6)
    low = int(number)
    return table[low] + (number - low) * (table[low + 1] - table[low])


@njit(cache=True, error_model="numpy")
def host_factors(model, threads, running, held):
    """(work of a hand-off, factor on the store's software, ns per ns of work, wait of a preempted thread).

    Args:
        threads: that want a hardware thread.
        running: operations in progress, this one included.
        held: hardware threads that accesses to the device keep.
    """
    hand = at(model.handoff_ns, threads)
    store = at(model.kv_factor, running) * at(model.crowding, threads)
    slowness = at(model.inverse_rate, threads)
    others = threads - held
    if held > 0.0 and others > 0.0:
        slowness = others / max(threads / slowness - held, LEAST_SPEED)
    return hand, store, slowness, at(model.preempted_ns, threads)


@njit(cache=True, error_model="numpy")
def kind_service(model, demands, kind, hand, store, slowness, preempted, waking, device_ns):
    """(mean work on the host, mean time, its variance, probability of a preemption) of a request of a kind.

    The time has neither preemption nor stall in it.
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


@njit(cache=True, error_model="numpy")
def class_service(model, demands, c, threads, running, held, waking, first, second):
    """(mean, second moment of the time that a worker keeps a request of class `c`, share of it in the device).

    Args:
        first, second: operations of both classes in the device, this one included.
    """
    hand, store, slowness, preempted = host_factors(model, threads, running, held)
    i, u, j, v = corner(demands, first, second)
    mean = square = device = 0.0
    for k in range(demands.share.shape[0]):
        share = demands.share[k]
        if demands.class_of[k] == c and share > 0.0:
            inside = device_time(demands, k, i, u, j, v)
            _, time, variance, taken = kind_service(model, demands, k, hand, store, slowness, preempted, waking, inside)
            rare = taken * preempted
            second_rare = taken * preempted * preempted
            for s in range(2):
                p, long = demands.stall_share[k, s], demands.stall_ns[k, s]
                rare += p * long
                second_rare += p * (long * long + demands.stall_sd[k, s] ** 2)
            mean += share * (time + rare)
            square += share * (variance + time * time + 2.0 * time * rare + second_rare)
            device += share * inside
    return mean, square, device
