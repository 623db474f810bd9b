"""Service demand of a request: random bits, and the costs that the model derives from them.

Both engines draw a request's properties here. Its cost on the processors depends on the other requests: `cpu_work_ns`
computes that cost for engine `compiled`; engine `simpy` has a separate implementation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import FIRST_FINE, NOISE_BINS, bits, gap_ns, high_uniform, low_uniform, place_of
from pmtwin.sim.load.workload import GETS_AND_UPDATES

_NOISE_MASK = np.uint64(1023)
_GATE_MASK = np.uint64(15)
_8, _10, _18, _28, _32 = np.uint64(8), np.uint64(10), np.uint64(18), np.uint64(28), np.uint64(32)

EVERYWHERE = len(GETS_AND_UPDATES)

GATES = 16
"""Number of values of the four bits in word 0 that decide whether a stall is drawn: one is drawn for values below
`stall_gate`. Other requests need no third word for a stall."""


@njit(cache=True, forceinline=True, inner=True)
def request_kind(model, key, index, class_index):
    """(first word of bits, number of the kind) of request `index` of a class.

    Bits 0 to 7 of the word select the size, 8 to 17 the noise of the host, 18 to 27 the noise of the device, and 28 to
    31 whether a stall is possible. Bits 32 to 63 select the operation: the last kind whose threshold is above them.
    """
    word = bits(key, index, np.uint64(0))
    upper = word >> _32
    kind = 2 * class_index + int(upper < model.threshold[class_index, 2 * class_index + 1])
    for k in range(EVERYWHERE, model.threshold.shape[1]):
        if upper < model.threshold[class_index, k]:
            kind = k
    return word, kind


@njit(cache=True, forceinline=True, inner=True)
def request_noise(model, key, index, word, kind):
    """(place in the table of the host's noise, place in that of the device's noise, stall of the device in ns).

    One condition, nearly always false, guards all rare events.
    """
    cpu, device = (word >> _8) & _NOISE_MASK, (word >> _18) & _NOISE_MASK
    stall = 0.0
    if max(cpu, device) >= FIRST_FINE or ((word >> _28) & _GATE_MASK) < model.stall_gate[kind]:
        cpu, device, stall = _rare_noise(model, key, index, word, kind, cpu, device)
    return cpu, device, stall


@njit(cache=True, inner=True)
def _rare_noise(model, key, index, word, kind, cpu, device):
    """Noise from the finer bins, and a possible stall; arguments and result as for `request_noise`."""
    third = bits(key, index, np.uint64(2))
    stall = 0.0
    if ((word >> _28) & _GATE_MASK) < model.stall_gate[kind]:
        stall = _stall_ns(model, word, kind, high_uniform(third) * model.stall_gate[kind] / GATES)
    return place_of(third, cpu), place_of(third >> _10, device), stall


@njit(cache=True, inner=True)
def _stall_ns(model, word, kind, u):
    """Stall of a write by the device in ns: wear levelling, a rarer one, or none; `u` in [0, 1)."""
    size = word & model.size_mask[kind]
    wear, rare = model.wear_probability[kind, size], model.rare_probability[kind, size]
    if u < wear:
        return model.wear_ns[np.int64(u / wear * NOISE_BINS)]
    if u < wear + rare:
        return model.rare_low_ns + model.rare_span_ns * ((u - wear) / rare)
    return 0.0


@njit(cache=True, forceinline=True, inner=True)
def cpu_work_ns(model, key, index, word, kind, place, stall, threads, running, woken):
    """Work on the host before the device, in ns at full speed, stalls of the device included.

    Args:
        word, kind: from `request_kind`.
        place, stall: from `request_noise`.
        threads: number of threads that want a hardware thread: both pools if workers poll, busy workers otherwise.
        running: number of operations in progress, this one included.
        woken: whether the worker was idle.
    """
    size = word & model.size_mask[kind]
    store = model.demand_ns[kind, size, 0] * model.kv_factor[running] * model.crowding[threads]
    work = model.handoff_ns[threads] * model.handoff_factor[kind, size] + store
    if woken:
        work += model.wakeup_ns
    work *= model.cpu_noise[place]
    waits = model.preempted_ns[threads]
    if waits > 0.0 and low_uniform(bits(key, index, np.uint64(1))) * model.preemption_ns < work:
        work += waits * model.rate[threads]  # a wait, not work: it does not shrink with the speed
    if stall > 0.0:
        # a stall is equally long under any load; the thread waits for it on the processor and streams nothing
        work += stall * model.rate[threads]
    return work


@njit(cache=True, forceinline=True, inner=True)
def device_work_ns(model, word, kind, place):
    """Time on an otherwise idle device, in ns, without stalls."""
    size = word & model.size_mask[kind]
    z = model.normal[place]
    return model.demand_ns[kind, size, 1] + z * (model.demand_ns[kind, size, 2] + z * model.demand_ns[kind, size, 3])


class Draws(NamedTuple):
    """A block of requests of one class as arrays of shape (n,), for callers outside compiled code.

    Fields:
        kind: index of its kind among the model's kinds.
        software_ns: work in the store with one operation in progress.
        handoff_factor: factor on the work of the hand-off.
        cpu_noise: factor on the work on the host.
        preemption: in [0, 1); requests below the probability of a preemption are preempted.
        stall_ns: additional wait for a stall of the device, 0 for almost all requests.
        device_ns: time on an otherwise idle device.
        gap_ns: gap before this request in the trace.
    """

    kind: np.ndarray
    software_ns: np.ndarray
    handoff_factor: np.ndarray
    cpu_noise: np.ndarray
    preemption: np.ndarray
    stall_ns: np.ndarray
    device_ns: np.ndarray
    gap_ns: np.ndarray


@njit(cache=True)
def draw_block(models, key, class_index, first, count):
    """Requests first..first + count - 1 of a class as a tuple of the fields of `Draws`."""
    model = models[0]
    kinds = np.empty(count, dtype=np.int64)
    values = np.empty((7, count))
    for j in range(count):
        index = np.uint64(first + j)
        word, kind = request_kind(model, key, index, class_index)
        cpu, device, stall = request_noise(model, key, index, word, kind)
        kinds[j] = kind
        size = np.int64(word & model.size_mask[kind])
        values[0, j] = model.demand_ns[kind, size, 0]
        values[1, j] = model.handoff_factor[kind, size]
        values[2, j] = model.cpu_noise[cpu]
        values[3, j] = low_uniform(bits(key, index, np.uint64(1)))
        values[4, j] = stall
        values[5, j] = device_work_ns(model, word, kind, device)
        values[6, j] = gap_ns(model.gaps_ns, class_index, key, index)
    return kinds, values[0], values[1], values[2], values[3], values[4], values[5], values[6]
