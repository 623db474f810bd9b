"""Speeds of concurrent operations in the device: a fixed point for each population.

The device is a processor-sharing server of K kinds of operation (`pmtwin.sim.load.workload.Kind`); their speeds depend
on the number of operations of each kind in the device. A thread of kind k among N streaming threads gets kept_k *
R_k(N) / N: R_k is the device law for that kind alone, and kept_k the fraction that a read or a write keeps in a mix
with this number of writers. The fraction is 1 if all have equal shares of the media's time. Otherwise readers and
writers share the media by their numbers of waiting lines, and mixes from the remote node lose most of their bandwidth
(`pmtwin.sim.device.mix_sharing`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit

MOST_BUSY = 1.0 - 1e-6
"""Largest utilisation of the media in the loaded latency, whose queue would be infinite at 1."""

BISECTIONS = 36
MOST_ROUNDS = 100
SETTLED = 1e-9
"""Tolerance of the fixed point, in streaming threads."""


class SpeedLaw(NamedTuple):
    """The tables and numbers from which the speeds of a population follow.

    Fields:
        chain_reads, chain_writes: shape (K,), dependent accesses of an operation.
        payload_bytes: shape (K,), mean bytes that the payload moves.
        most_in_device: n, largest number of operations in the device at once.
        curve_ns_per_byte: shape (K, n + 1), time of a thread per byte among 0..n streaming threads of its kind.
        media_ns_per_byte: shape (K, n + 1), time of the media per byte with 0..n streaming threads: the inverse of the
            largest bandwidth of this or any larger number of threads.
        writing_share: shape (K, n + 1), share of the payload's time that goes to writing, among 0..n streaming threads.
        kept_in_mixes: shape (K, n + 1, n + 1), see `pmtwin.sim.device.payloads.kept_in_mixes`.
        chain_media_ns: shape (K,), time of the media for the lines of the chain.
        read_idle_ns, write_idle_ns: latency of one dependent access on idle media.
        read_line_ns, write_line_ns: time of a line ahead in the queue, see `pmtwin.sim.device.latency`.
        idle_ns: shape (K,), mean time of an operation alone.
    """

    chain_reads: np.ndarray
    chain_writes: np.ndarray
    payload_bytes: np.ndarray
    most_in_device: int
    curve_ns_per_byte: np.ndarray
    media_ns_per_byte: np.ndarray
    writing_share: np.ndarray
    kept_in_mixes: np.ndarray
    chain_media_ns: np.ndarray
    read_idle_ns: float
    write_idle_ns: float
    read_line_ns: float
    write_line_ns: float
    idle_ns: np.ndarray


@njit(cache=True, inner=True)
def _at(table, kind, streaming, most):
    """Row `kind` of a table over 0..most threads, linear between whole numbers of threads."""
    low = min(int(streaming), most - 1)
    left, right = table[kind, low], table[kind, low + 1]
    return left + min(streaming - low, 1.0) * (right - left)


@njit(cache=True, inner=True)
def _mix_share(table, kind, streaming, writing_share, most):
    """Fraction kept among `streaming` threads of which a share writes, interpolated between whole numbers."""
    low = min(max(int(streaming), 1), most - 1)
    weight = min(max(streaming - low, 0.0), 1.0)
    share = 0.0
    for total, part in ((low, 1.0 - weight), (low + 1, weight)):
        writers = writing_share * total
        below = min(int(writers), total - 1)
        left, right = table[kind, total, below], table[kind, total, below + 1]
        share += part * (left + (writers - below) * (right - left))
    return share


@njit(cache=True, inner=True)
def _times(law, transfer, busy, time):
    """Write the time of an operation of each kind into `time`, at the utilisation that an arriving access sees."""
    queue = 0.5 * busy / (1.0 - busy)
    read_ns = law.read_idle_ns + law.read_line_ns * queue
    write_ns = law.write_idle_ns + law.write_line_ns * queue
    for k in range(time.shape[0]):
        time[k] = law.chain_reads[k] * read_ns + law.chain_writes[k] * write_ns + transfer[k]


@njit(cache=True, inner=True)
def _writing_share(law, population, transfer, streams_seen):
    """Share of the streaming threads that write, before reads and writes slow each other down."""
    writing = streaming = 0.0
    for k in range(population.shape[0]):
        if transfer[k] > 0.0:
            chain = law.chain_reads[k] * law.read_idle_ns + law.chain_writes[k] * law.write_idle_ns
            streams = population[k] * transfer[k] / (chain + transfer[k])
            streaming += streams
            writing += streams * _at(law.writing_share, k, streams_seen, law.most_in_device)
    return writing / streaming if streaming > 0.0 else 0.0


@njit(cache=True, inner=True)
def _excess_streams(law, population, other_share, streams, time, transfer):
    """(streams caused by operations that see `streams` streams, less `streams`; utilisation of the media).

    Times of the operations and of their payloads are written into `time` and `transfer`. The utilisation of the media
    is the root of a falling function: busier media make slower operations, which keep the media less busy.
    """
    media = np.empty_like(time)
    streams_seen = 1.0 + other_share * streams
    for k in range(population.shape[0]):
        transfer[k] = law.payload_bytes[k] * _at(law.curve_ns_per_byte, k, streams_seen, law.most_in_device)
    share = _writing_share(law, population, transfer, streams_seen)
    for k in range(population.shape[0]):
        mix_share = _mix_share(law.kept_in_mixes, k, streams_seen, share, law.most_in_device)
        transfer[k] /= mix_share
        media[k] = law.chain_media_ns[k]
        media[k] += law.payload_bytes[k] * _at(law.media_ns_per_byte, k, streams_seen, law.most_in_device) / mix_share
    low, high = 0.0, MOST_BUSY
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        _times(law, transfer, other_share * middle, time)
        caused = 0.0
        for k in range(population.shape[0]):
            caused += population[k] * media[k] / time[k]
        low, high = (middle, high) if caused > middle else (low, middle)
    _times(law, transfer, other_share * low, time)
    excess = -streams
    for k in range(population.shape[0]):
        excess += population[k] * transfer[k] / time[k]
    return excess, low


@njit(cache=True, inner=True)
def _other_share(population):
    """Share of a population that one of its operations sees: all but itself (arrival theorem, Schweitzer's form)."""
    total = 0.0
    for k in range(population.shape[0]):
        total += population[k]
    return total, (total - 1.0) / total if total > 0.0 else 0.0


@njit(cache=True, inner=True)
def _settle(law, population, time, transfer):
    """(operations that stream their payload, utilisation of the media); `time` and `transfer` as `_excess_streams`.

    Two numbers couple the operations: how many of them stream their payload, and how busy the media are. An operation
    sees the streams and the utilisation that the other operations cause. The number of streams is a fixed point: secant
    steps approach it from below until one step passes it, then from both sides.
    """
    total, other_share = _other_share(population)
    below = 0.0
    excess_below, busy = _excess_streams(law, population, other_share, 0.0, time, transfer)
    above, excess_above = total, -total
    streams = excess_below
    for _ in range(MOST_ROUNDS):
        excess, busy = _excess_streams(law, population, other_share, streams, time, transfer)
        if abs(excess) < SETTLED:
            break
        if excess > 0.0:
            picard = streams + excess
            slope = (excess - excess_below) / (streams - below)
            below, excess_below = streams, excess
            streams = max(picard, streams - excess / slope) if slope < 0.0 else picard
        else:
            above, excess_above = streams, excess
            streams = below + (above - below) * excess_below / (excess_below - excess_above)
        if not below < streams < above:
            streams = 0.5 * (below + above)
            if not below < streams < above:  # neighbouring numbers: there is nothing between them
                break
    return streams, busy


@njit(cache=True, inner=True)
def solve_speeds(law, population, speeds):
    """Write the speed of each kind (1: alone in the device) for a `population` of shape (K,) into `speeds[:K]`."""
    time, transfer = np.empty(population.shape[0]), np.empty(population.shape[0])
    _settle(law, population, time, transfer)
    for k in range(population.shape[0]):
        speeds[k] = law.idle_ns[k] / time[k]


@njit(cache=True)
def device_use(laws, population):
    """Use of the device by a population; `laws` has one element.

    Returns:
        (utilisation of the media, 0 to 1; operations that stream their payload; share of the time of each kind, shape
        (K,), that goes to reading).
    """
    law = laws[0]
    time, transfer = np.empty(population.shape[0]), np.empty(population.shape[0])
    streams, busy = _settle(law, population, time, transfer)
    other_share = _other_share(population)[1]
    queue = 0.5 * other_share * busy / (1.0 - other_share * busy)
    reading = np.empty_like(time)
    for k in range(population.shape[0]):
        chain = law.chain_reads[k] * (law.read_idle_ns + law.read_line_ns * queue)
        writing = _at(law.writing_share, k, 1.0 + other_share * streams, law.most_in_device)
        reading[k] = (chain + (1.0 - writing) * transfer[k]) / time[k] if time[k] > 0.0 else 0.0
    return busy, streams, reading
