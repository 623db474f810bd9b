"""What one request asks for: drawn from its bits, priced by the model.

Both engines take from here what a request brings with it; what it costs on the processors depends on who else is there,
and `cpu_work_ns` is the compiled engine's statement of it: engine `simpy` has its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from sim.draws import bits, gap_ns, high_uniform, low_uniform

_SIZE_MASK = np.uint64(255)
_NOISE_MASK = np.uint64(1023)
_8, _18, _32 = np.uint64(8), np.uint64(18), np.uint64(32)


@njit(cache=True)
def request_kind(model, key, index, class_index):
    """(first word of bits, kind 0..3) of request `index` of a class."""
    word = bits(key, index, np.uint64(0))
    return word, 2 * class_index + int((word >> _32) < model.write_threshold[class_index])


@njit(cache=True)
def cpu_work_ns(model, key, index, word, kind, threads, running, woken):
    """Work on the host before the device, in ns at full speed.

    Args:
        word, kind: of `request_kind`.
        threads: threads that want a hardware thread: both pools if workers poll, busy workers otherwise.
        running: operations in progress, this one included.
        woken: the worker was idle.
    """
    work = model.handoff_ns[threads] + model.software_ns[kind, np.int64(word & _SIZE_MASK)] * model.kv_factor[running]
    if woken:
        work += model.wakeup_ns
    work *= model.cpu_noise[np.int64((word >> _8) & _NOISE_MASK)]
    waits = model.preempted_ns[threads]
    if waits > 0.0 and low_uniform(bits(key, index, np.uint64(1))) * model.timeslice_ns < work:
        work += waits * model.rate[threads]  # a wait, not work: it does not shrink with the speed
    return work


@njit(cache=True)
def device_work_ns(model, key, index, word, kind):
    """Time on an otherwise idle device, in ns, stalls included."""
    size = np.int64(word & _SIZE_MASK)
    work = model.device_ns[kind, size] * model.device_noise[np.int64((word >> _18) & _NOISE_MASK)]
    wear = model.stall_probability[kind]
    if wear > 0.0:
        u = high_uniform(bits(key, index, np.uint64(2)))
        rare = wear * model.rare_per_wear
        if u < wear:
            work += model.wear_low_ns + model.wear_span_ns * (u / wear)
        elif u < wear + rare:
            work += model.rare_low_ns + model.rare_span_ns * ((u - wear) / rare)
    return work


class Draws(NamedTuple):
    """A block of requests of one class as arrays of shape (n,), for callers outside compiled code.

    Fields:
        kind: 0 to 3.
        software_ns: work in the store with one operation.
        cpu_noise: factor on the work on the host.
        preemption: in [0, 1); small numbers are preempted.
        device_ns: time on an otherwise idle device.
        gap_ns: before this request in the trace.
    """

    kind: np.ndarray
    software_ns: np.ndarray
    cpu_noise: np.ndarray
    preemption: np.ndarray
    device_ns: np.ndarray
    gap_ns: np.ndarray


@njit(cache=True)
def draw_block(models, key, class_index, first, count):
    """Requests first..first + count - 1 of a class as a tuple of the fields of `Draws`."""
    model = models[0]
    kinds = np.empty(count, dtype=np.int64)
    values = np.empty((5, count))
    for j in range(count):
        index = np.uint64(first + j)
        word, kind = request_kind(model, key, index, class_index)
        kinds[j] = kind
        values[0, j] = model.software_ns[kind, np.int64(word & _SIZE_MASK)]
        values[1, j] = model.cpu_noise[np.int64((word >> _8) & _NOISE_MASK)]
        values[2, j] = low_uniform(bits(key, index, np.uint64(1)))
        values[3, j] = device_work_ns(model, key, index, word, kind)
        values[4, j] = gap_ns(model.gaps_ns, class_index, key, index)
    return kinds, values[0], values[1], values[2], values[3], values[4]
