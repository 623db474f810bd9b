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

LATENCY_GRID = 65
MAX_UTILISATION = 0.95
ITERATIONS = 40
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
    """What the speed of a population depends on; arrays of float64.

    Fields:
        chain_reads, chain_writes: shape (4,), dependent accesses of an operation.
        payload_bytes: shape (4,), mean bytes that the payload moves.
        most_in_device: n, the most operations that are ever in the device at once.
        curve_ns_per_byte: shape (4, n + 1), time of a thread per byte among 0..n streaming threads of its kind.
        media_ns: shape (4,), time that an operation keeps the media busy at its best bandwidth.
        read_latency_ns, write_latency_ns: shape (LATENCY_GRID,), over utilisation 0 to MAX_UTILISATION.
        idle_ns: shape (4,), time of an operation alone.
    """

    chain_reads: np.ndarray
    chain_writes: np.ndarray
    payload_bytes: np.ndarray
    most_in_device: int
    curve_ns_per_byte: np.ndarray
    media_ns: np.ndarray
    read_latency_ns: np.ndarray
    write_latency_ns: np.ndarray
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
    factor = np.array([values["remote_read_factor"], values["remote_write_factor"]]) if remote else np.ones(2)
    grid = np.linspace(0.0, MAX_UTILISATION, LATENCY_GRID)
    read_latency = np.asarray(profile.loaded_latency_ns(grid, "load", "random"), dtype=float) * factor[0]
    write_latency = np.asarray(profile.loaded_latency_ns(grid, "store_clwb", "random"), dtype=float) * factor[1]
    threads = np.arange(1, hardware_threads + 1, dtype=float)
    line_read = _ns_per_byte(profile, False, MEDIA_LINE_BYTES, threads, dimms) / threads
    line_write = _ns_per_byte(profile, True, MEDIA_LINE_BYTES, threads, dimms) / threads

    software, device = np.empty((KINDS, SIZE_BINS)), np.empty((KINDS, SIZE_BINS))
    chain_reads, chain_writes, payload, media, stall = (np.empty(KINDS) for _ in range(5))
    curve = np.empty((KINDS, hardware_threads + 1))
    for kind in range(KINDS):
        load, is_write = workload.classes[kind // 2], bool(kind % 2)
        scale = factor[int(is_write)]
        gets, reads, writes, copies = _chains(values, load, is_write)
        sizes = load.sizes(is_write)
        per_get = values["get_software_ns"] + values["get_copy_ns_per_byte"] * sizes
        software[kind] = gets * per_get
        if is_write:
            software[kind] += values["put_software_ns"] + values["put_copy_ns_per_byte"] * sizes
        alone = scale * _ns_per_byte(profile, is_write, sizes, 1.0, dimms)
        mean_size = sizes.mean()
        curve[kind, 1:] = scale * _ns_per_byte(profile, is_write, mean_size, threads, dimms)
        curve[kind, 0] = curve[kind, 1]
        chain_reads[kind], chain_writes[kind], payload[kind] = reads, writes, copies * mean_size
        device[kind] = reads * read_latency[0] + writes * write_latency[0] + copies * sizes * alone
        media[kind] = payload[kind] * (curve[kind, 1:] / threads).min() + MEDIA_LINE_BYTES * (
            reads * line_read.min() * factor[0] + writes * line_write.min() * factor[1]
        )
        lines = writes + payload[kind] / MEDIA_LINE_BYTES if is_write else 0.0
        stall[kind] = min(1.0, lines * profile.tail.stall_probability * values["hot_write_share"])
    if remote:
        software = software * np.repeat(np.tile(factor, 2)[:, None], SIZE_BINS, axis=1)
    idle = chain_reads * read_latency[0] + chain_writes * write_latency[0] + payload * curve[:, 1]
    law = SpeedLaw(
        chain_reads, chain_writes, payload, hardware_threads, curve, media, read_latency, write_latency, idle
    )
    return Demand(software, device, stall), law


@njit(cache=True)
def _between(table, position, last):
    """Linear interpolation in a table over 0..last, clipped at both ends."""
    if position <= 0.0:
        return table[0]
    if position >= last:
        return table[last]
    low = int(position)
    return table[low] + (position - low) * (table[low + 1] - table[low])


@njit(cache=True)
def _transfer_ns(law, kind, streaming):
    """Time of the payload of one operation among `streaming` threads; linear between whole numbers of threads."""
    low = min(int(streaming), law.most_in_device - 1)
    left, right = law.curve_ns_per_byte[kind, low], law.curve_ns_per_byte[kind, low + 1]
    return law.payload_bytes[kind] * (left + min(streaming - low, 1.0) * (right - left))


@njit(cache=True)
def solve_speeds(law, population, rows, row):
    """Speed of each kind, 1 when alone, for a `population` of shape (4,); written into `rows[row, :4]`.

    A fixed point: streaming threads N and utilisation rho follow from the time of each operation, which follows from
    them. The number of iterations is fixed so that the result depends on nothing but its input.
    """
    time = np.empty(KINDS)
    for k in range(KINDS):
        time[k] = law.idle_ns[k]
    step = MAX_UTILISATION / (LATENCY_GRID - 1)
    streaming = 1.0
    for _ in range(ITERATIONS):
        now_streaming, utilisation = 0.0, 0.0
        for k in range(KINDS):
            now_streaming += population[k] * min(1.0, _transfer_ns(law, k, streaming) / time[k])
            utilisation += population[k] * law.media_ns[k] / time[k]
        streaming = max(1.0, now_streaming)
        position = min(utilisation, MAX_UTILISATION) / step
        read_ns = _between(law.read_latency_ns, position, LATENCY_GRID - 1)
        write_ns = _between(law.write_latency_ns, position, LATENCY_GRID - 1)
        for k in range(KINDS):
            chains = law.chain_reads[k] * read_ns + law.chain_writes[k] * write_ns
            time[k] = 0.5 * (time[k] + chains + _transfer_ns(law, k, streaming))
    for k in range(KINDS):
        rows[row, k] = law.idle_ns[k] / time[k]
