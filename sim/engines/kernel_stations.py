"""The stations of engine `compiled`: processors and device, with virtual clocks and requests sorted by their end."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.engines.kernel_state import (
    CPU,
    CPU_LAST,
    CPU_VIRTUAL,
    DEVICE_LAST,
    FRONT,
    LONG,
    NEVER,
    NOW,
    STATION_MOVE,
)
from pmtwin.sim.host import LEAST_SPEED, MAX_RUNNABLE
from pmtwin.sim.speeds import KINDS


@njit(cache=True)
def insert(st, station, key, slot):
    """Insert in ascending order, behind equal keys."""
    if st.head[station] >= STATION_MOVE:
        move_to_front(st, station)
    j, head = st.tail[station], st.head[station]
    if j - head > LONG and head > 0 and key < st.keys[station, (head + j) >> 1]:
        insert_from_head(st, station, key, slot)
        return
    while j > head and st.keys[station, j - 1] > key:
        st.keys[station, j] = st.keys[station, j - 1]
        st.slots[station, j] = st.slots[station, j - 1]
        j -= 1
    st.keys[station, j] = key
    st.slots[station, j] = slot
    st.tail[station] += 1
    st.keys[station, st.tail[station]] = NEVER


@njit(cache=True)
def insert_from_head(st, station, key, slot):
    """The same where the place is nearer to the head: a short request among many that wait for a hardware thread."""
    j, tail = st.head[station], st.tail[station]
    while j < tail and st.keys[station, j] <= key:
        st.keys[station, j - 1] = st.keys[station, j]
        st.slots[station, j - 1] = st.slots[station, j]
        j += 1
    st.keys[station, j - 1] = key
    st.slots[station, j - 1] = slot
    st.head[station] -= 1


@njit(cache=True)
def move_to_front(st, station):
    head = st.head[station]
    count = st.tail[station] - head
    for j in range(count):
        st.keys[station, FRONT + j] = st.keys[station, head + j]
        st.slots[station, FRONT + j] = st.slots[station, head + j]
    st.head[station], st.tail[station] = FRONT, FRONT + count
    st.keys[station, FRONT + count] = NEVER


@njit(cache=True)
def cpu_speed(model, st):
    """Of one request on the processors: (speed, its inverse)."""
    held = np.float64(0.0)
    if model.access_holds_cpu:
        held = np.float64(st.population[0] + st.population[1] + st.population[2] + st.population[3])
    others = np.float64(st.cpu_threads) - held
    if held == 0.0 or others <= 0.0:
        return model.rate[st.cpu_threads], model.inverse_rate[st.cpu_threads]
    speed = max(np.float64(st.cpu_threads) * model.rate[st.cpu_threads] - held, LEAST_SPEED) / others
    return speed, 1.0 / speed


@njit(cache=True)
def advance_cpu(model, st):
    st.clock[CPU_VIRTUAL] += (st.clock[NOW] - st.clock[CPU_LAST]) * cpu_speed(model, st)[0]
    st.clock[CPU_LAST] = st.clock[NOW]


@njit(cache=True)
def set_cpu_threads(model, st):
    """The number of threads that want a hardware thread has changed: from now on, another speed."""
    threads = max(st.busy[0] + st.busy[1], model.spinning)
    if model.polls:
        threads = max(st.pools[0], st.busy[0]) + max(st.pools[1], st.busy[1])
    threads = min(threads, MAX_RUNNABLE)
    if threads != st.cpu_threads:
        advance_cpu(model, st)
        st.cpu_threads = threads
        schedule_cpu(model, st)


@njit(cache=True)
def schedule_cpu(model, st):
    """Note when the next request leaves the processors."""
    left = max(0.0, st.keys[CPU, st.head[CPU]] - st.clock[CPU_VIRTUAL])
    st.cpu_end = st.clock[CPU_LAST] + left * cpu_speed(model, st)[1]


@njit(cache=True)
def advance_device(st):
    elapsed = st.clock[NOW] - st.clock[DEVICE_LAST]
    for k in range(KINDS):
        st.virtual[k] += elapsed * st.speeds[k]
    st.clock[DEVICE_LAST] = st.clock[NOW]


@njit(cache=True)
def schedule_device(st):
    """Note when the next operation leaves the device, and its kind; the first kind of those that leave at once."""
    best, kind = NEVER, 0
    for k in range(KINDS):
        left = max(0.0, st.keys[1 + k, st.head[1 + k]] - st.virtual[k])
        end = st.clock[DEVICE_LAST] + left * st.speeds[KINDS + k]
        kind = k if end < best else kind
        best = min(best, end)
    st.device_end = best
    st.device_kind = kind


@njit(cache=True)
def join_device(model, st, slot):
    advance_device(st)
    kind = st.slot_kind[slot]
    if model.access_holds_cpu:
        advance_cpu(model, st)
    st.population[kind] += 1
    if model.access_holds_cpu:
        schedule_cpu(model, st)
    insert(st, 1 + kind, st.virtual[kind] + st.slot_device_work[slot], slot)
