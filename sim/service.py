"""What a key-value operation asks of the device, and how fast a mix of operations is served.

An operation is a chain of dependent accesses, each at the loaded latency, and a payload whose bytes share the
bandwidth. There are four kinds: interactive read, interactive write, batch read, batch write (2 * class + is_write).
The device is a processor-sharing server whose speed for each kind depends on how many operations of every kind are in
it.

The bandwidth of a mix follows from equal shares of media time (FAST'20 figure 6 and the fit in the device profile): a
thread of kind k among N streaming threads gets R_k(N) / N, where R_k is the device law for that kind alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numba import njit

from sim.device.profile import Profile
from sim.workload import SIZE_BINS, ClassWorkload, Workload

KINDS = 4
MEDIA_LINE_BYTES = 256
NT_THRESHOLD_BYTES = 256
"""libpmem copies with non-temporal stores from this size on (PMEM_MOVNT_THRESHOLD), below it stores and flushes."""

MOST_BUSY = 1.0 - 1e-6
"""Utilisation of the media at which the queue of the loaded latency is cut off from its pole."""

BISECTIONS = 36
MOST_ROUNDS = 100
SETTLED = 1e-9
"""Streaming threads by which two rounds may differ when a population counts as solved."""

MIB = float(1 << 20)


class Demand(NamedTuple):
    """What each kind asks for; index k = 2 * class + is_write.

    Fields:
        software_ns: shape (4, SIZE_BINS), CPU work in the store with one operation, by size bin.
        device_ns: shape (4, SIZE_BINS), time on an otherwise idle device.
        stall_probability: shape (4,), of a wear-levelling stall per operation.
    """

    software_ns: np.ndarray
    device_ns: np.ndarray
    stall_probability: np.ndarray


class SpeedLaw(NamedTuple):
    """What the speed of a population depends on.

    Fields:
        chain_reads, chain_writes: shape (4,), dependent accesses of an operation.
        payload_bytes: shape (4,), mean bytes that the payload moves.
        most_in_device: n, the most operations that are ever in the device at once.
        curve_ns_per_byte: shape (4, n + 1), time of a thread per byte among 0..n streaming threads of its kind.
        media_ns_per_byte: shape (4, n + 1), time of the media per byte with 0..n streaming threads: the inverse of
            the most that this number of threads, or any larger one, gets out of them.
        chain_media_ns: shape (4,), time of the media for the lines of the chain.
        read_idle_ns, write_idle_ns: latency of one dependent access on idle media.
        read_line_ns, write_line_ns: what a line ahead in the queue costs, see `sim.device.latency`.
        idle_ns: shape (4,), time of an operation alone.
    """

    chain_reads: np.ndarray
    chain_writes: np.ndarray
    payload_bytes: np.ndarray
    most_in_device: int
    curve_ns_per_byte: np.ndarray
    media_ns_per_byte: np.ndarray
    chain_media_ns: np.ndarray
    read_idle_ns: float
    write_idle_ns: float
    read_line_ns: float
    write_line_ns: float
    idle_ns: np.ndarray


def payload_operation(is_write: bool, size_bytes: float) -> str:
    """The instruction that moves a payload, in the names of the device law."""
    if not is_write:
        return "load"
    return "ntstore" if size_bytes >= NT_THRESHOLD_BYTES else "store_clwb"


def _chains(values: Mapping[str, float], load: ClassWorkload, is_write: bool) -> tuple[float, float, float, float]:
    """(gets, dependent reads, dependent writes, payload factor) of one request."""
    gets = load.gets_per_write if is_write else load.gets_per_read
    reads = gets * values["get_chain_accesses"]
    if is_write:
        return gets, reads + values["put_chain_accesses"], values["put_persists"], values["put_write_factor"]
    return gets, reads, 0.0, gets


def _ns_per_byte(profile: Profile, is_write: bool, sizes: np.ndarray, threads: np.ndarray, dimms: float) -> np.ndarray:
    """Time per byte of one of `threads` equal threads, element-wise over sizes and threads."""
    sizes, threads = np.broadcast_arrays(np.asarray(sizes, dtype=float), np.asarray(threads, dtype=float))
    result = np.empty(sizes.shape)
    for operation in ("load",) if not is_write else ("ntstore", "store_clwb"):
        mask = np.array([payload_operation(is_write, s) == operation for s in sizes.ravel()]).reshape(sizes.shape)
        if mask.any():
            bandwidth = profile.bandwidth_mib_s(operation, "random", sizes[mask], threads[mask], int(dimms))
            result[mask] = threads[mask] * 1e9 / (np.asarray(bandwidth) * MIB)
    return result


def build_service(
    profile: Profile, workload: Workload, values: Mapping[str, float], hardware_threads: int, remote: bool
) -> tuple[Demand, SpeedLaw]:
    """Demands and speed law of a workload on a device.

    Args:
        profile: the calibrated device.
        workload: both classes.
        values: resolved parameters.
        hardware_threads: most operations that are ever in the device at once.
        remote: the accesses come from the other socket.
    """
    dimms = values["dimms"]
    factor = (values["remote_read_factor"], values["remote_write_factor"]) if remote else (1.0, 1.0)
    read_idle = profile.idle_latency_ns["load", "random"] * factor[0]
    write_idle = profile.idle_latency_ns["store_clwb", "random"] * factor[1]
    threads = np.arange(1, hardware_threads + 1, dtype=float)
    line_media = [
        scale * MEDIA_LINE_BYTES * (_ns_per_byte(profile, is_write, MEDIA_LINE_BYTES, threads, dimms) / threads).min()
        for is_write, scale in zip((False, True), factor, strict=True)
    ]
    software, device = np.empty((KINDS, SIZE_BINS)), np.empty((KINDS, SIZE_BINS))
    chain_reads, chain_writes, payload, stall = (np.empty(KINDS) for _ in range(4))
    curve, media = np.empty((KINDS, hardware_threads + 1)), np.empty((KINDS, hardware_threads + 1))
    for kind in range(KINDS):
        load, is_write = workload.classes[kind // 2], bool(kind % 2)
        scale = factor[is_write]
        gets, reads, writes, copies = _chains(values, load, is_write)
        sizes = load.sizes(is_write)
        # the store's own structures lie on the device too: from the other socket its software is slower by as much
        software[kind] = scale * _software_ns(values, gets, is_write, sizes)
        alone = scale * _ns_per_byte(profile, is_write, sizes, 1.0, dimms)
        curve[kind, 1:] = scale * _ns_per_byte(profile, is_write, sizes.mean(), threads, dimms)
        media[kind, 1:] = np.minimum.accumulate((curve[kind, 1:] / threads)[::-1])[::-1]
        chain_reads[kind], chain_writes[kind], payload[kind] = reads, writes, copies * sizes.mean()
        device[kind] = reads * read_idle + writes * write_idle + copies * sizes * alone
        lines = writes + payload[kind] / MEDIA_LINE_BYTES if is_write else 0.0
        stall[kind] = min(1.0, lines * profile.tail.stall_probability * values["hot_write_share"])
    curve[:, 0], media[:, 0] = curve[:, 1], media[:, 1]
    law = SpeedLaw(
        chain_reads=chain_reads,
        chain_writes=chain_writes,
        payload_bytes=payload,
        most_in_device=hardware_threads,
        curve_ns_per_byte=curve,
        media_ns_per_byte=media,
        chain_media_ns=chain_reads * line_media[0] + chain_writes * line_media[1],
        read_idle_ns=read_idle,
        write_idle_ns=write_idle,
        read_line_ns=profile.queue_line_ns["load"] * factor[0],
        write_line_ns=profile.queue_line_ns["store_clwb"] * factor[1],
        idle_ns=chain_reads * read_idle + chain_writes * write_idle + payload * curve[:, 1],
    )
    return Demand(software, device, stall), law


def _software_ns(values: Mapping[str, float], gets: float, is_write: bool, sizes: np.ndarray) -> np.ndarray:
    """CPU work in the store of one request by value size, with one operation in progress."""
    work = gets * (values["get_software_ns"] + values["get_copy_ns_per_byte"] * sizes)
    if is_write:
        work = work + values["put_software_ns"] + values["put_copy_ns_per_byte"] * sizes
    return work


@njit(cache=True)
def _at(table, kind, streaming, most):
    """Row `kind` of a table over 0..most threads, linear between whole numbers of threads."""
    low = min(int(streaming), most - 1)
    left, right = table[kind, low], table[kind, low + 1]
    return left + min(streaming - low, 1.0) * (right - left)


@njit(cache=True)
def _times(law, transfer, busy, time):
    """Time of an operation of each kind, written into `time`, at a utilisation seen by an arriving access."""
    queue = 0.5 * busy / (1.0 - busy)
    read_ns = law.read_idle_ns + law.read_line_ns * queue
    write_ns = law.write_idle_ns + law.write_line_ns * queue
    for k in range(KINDS):
        time[k] = law.chain_reads[k] * read_ns + law.chain_writes[k] * write_ns + transfer[k]


@njit(cache=True)
def _excess_streams(law, population, others, streams, time):
    """Streams that operations cause when they see `streams`, less these; their times are written into `time`.

    The utilisation of the media is the root of a falling function: busier media make slower operations, which keep
    the media less busy.
    """
    transfer, media = np.empty(KINDS), np.empty(KINDS)
    seen = 1.0 + others * streams
    for k in range(KINDS):
        transfer[k] = law.payload_bytes[k] * _at(law.curve_ns_per_byte, k, seen, law.most_in_device)
        media[k] = law.chain_media_ns[k]
        media[k] += law.payload_bytes[k] * _at(law.media_ns_per_byte, k, seen, law.most_in_device)
    low, high = 0.0, MOST_BUSY
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        _times(law, transfer, others * middle, time)
        caused = 0.0
        for k in range(KINDS):
            caused += population[k] * media[k] / time[k]
        low, high = (middle, high) if caused > middle else (low, middle)
    _times(law, transfer, others * low, time)
    excess = -streams
    for k in range(KINDS):
        excess += population[k] * transfer[k] / time[k]
    return excess


@njit(cache=True)
def solve_speeds(law, population, rows, row):
    """Speed of each kind, 1 when alone, for a `population` of shape (4,); written into `rows[row, :4]`.

    Two numbers couple the operations: how many of them stream their payload, and how busy the media are. What an
    operation sees of both is what the others cause (arrival theorem, in Schweitzer's form). The number of streams is a
    fixed point, approached from below by secants until one of them passes it, then from both sides.
    """
    total = 0.0
    for k in range(KINDS):
        total += population[k]
    others = (total - 1.0) / total if total > 0.0 else 0.0
    time = np.empty(KINDS)
    below, excess_below = 0.0, _excess_streams(law, population, others, 0.0, time)
    above, excess_above = total, -total
    streams = excess_below
    for _ in range(MOST_ROUNDS):
        excess = _excess_streams(law, population, others, streams, time)
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
    for k in range(KINDS):
        rows[row, k] = law.idle_ns[k] / time[k]
