"""What a key-value operation asks of the device.

A chain of dependent accesses, each at the loaded latency, and a payload whose bytes share the bandwidth
(`sim.payloads`). How fast operations are served that are in the device together says `sim.speeds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim.access_profile import count_at, has_count, streamed_payload_bytes
from sim.device.access_latency import AccessLatency
from sim.device.geometry import MEDIA_LINE_BYTES
from sim.device.profile import Profile
from sim.device.tail import Tail
from sim.parameters import is_chosen
from sim.payloads import kept_in_mixes, ns_per_byte, payload_ns_per_byte
from sim.requests import GATES
from sim.speeds import KINDS, SpeedLaw
from sim.workload import SIZE_BINS, ClassWorkload, Workload


class Demand(NamedTuple):
    """What each kind asks for; index k = 2 * class + is_write.

    On an otherwise idle device an operation takes `a + b z + c z^2`, z standard normal, and perhaps a stall: the sum of
    its accesses, each log-normal (`sim.device.access_latency`) and independent of the others, in mean, variance and
    skewness.

    Fields:
        demand_ns: shape (4, SIZE_BINS, 4), by size bin: CPU work in the store with one operation; a, b, c. Together,
            since a request needs all of them: one look into memory.
        wear_probability, rare_probability: shape (4, SIZE_BINS), of a stall per operation, of either kind.
        stall_gate: shape (4,), of `sim.requests.GATES`: 0 where nothing stalls, 1 where few do, all of them else.
    """

    demand_ns: np.ndarray
    wear_probability: np.ndarray
    rare_probability: np.ndarray
    stall_gate: np.ndarray


class Accesses(NamedTuple):
    """What one request asks of the store and the device, by value size; arrays of the sizes' shape.

    Fields:
        gets: of the store, a number.
        reads, writes: dependent reads, and rounds of flush and fence, that wait for one another.
        copies: of the value that are moved at the device's bandwidth.
    """

    gets: float
    reads: np.ndarray
    writes: np.ndarray
    copies: np.ndarray


def _counted(
    profile: Profile, values: Mapping[str, float], operation: str, count: str, parameter: str, sizes: np.ndarray
) -> np.ndarray:
    """A count by value size: of the profile's access profile, unless it has none or somebody set the parameter."""
    if is_chosen(values, parameter) or not has_count(profile.access_profile, operation, count):
        return np.full(sizes.shape, float(values[parameter]))
    return count_at(profile.access_profile, operation, count, sizes)


def _accesses(
    profile: Profile, values: Mapping[str, float], load: ClassWorkload, is_write: bool, sizes: np.ndarray
) -> Accesses:
    gets = load.gets_per_write if is_write else load.gets_per_read
    reads = gets * _counted(profile, values, "get", "dependent_reads", "get_chain_accesses", sizes)
    if not is_write:
        return Accesses(gets, reads, np.zeros(sizes.shape), np.full(sizes.shape, gets))
    reads = reads + _counted(profile, values, "put", "dependent_reads", "put_chain_accesses", sizes)
    rounds = _counted(profile, values, "put", "rounds", "put_persists", sizes)
    if is_chosen(values, "put_write_factor") or not has_count(profile.access_profile, "put", "streamed_bytes"):
        return Accesses(gets, reads, rounds, np.full(sizes.shape, values["put_write_factor"]))
    payload = streamed_payload_bytes(profile.access_profile, "put", sizes)
    return Accesses(gets, reads, rounds, payload / np.maximum(sizes, 1.0))


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
    dimms, n = values["dimms"], hardware_threads
    factor = (values["remote_read_factor"], values["remote_write_factor"]) if remote else (1.0, 1.0)
    read_idle = profile.idle_latency_ns["load", "random"] * factor[0]
    write_idle = profile.idle_latency_ns["store_clwb", "random"] * factor[1]
    line_media = [
        scale * _line_media_ns(profile, operation, n, dimms)
        for operation, scale in zip(("load", "store_clwb"), factor, strict=True)
    ]
    demand, lines = np.empty((KINDS, SIZE_BINS, 4)), np.zeros((KINDS, SIZE_BINS))
    chain_reads, chain_writes, payload = (np.empty(KINDS) for _ in range(3))
    kept_among = lru_cache(lambda size: kept_in_mixes(profile, size, n, dimms))  # classes often share a size
    curve, kept = np.empty((KINDS, n + 1)), np.empty((KINDS, n + 1, n + 1))
    for kind in range(KINDS):
        load, is_write = workload.classes[kind // 2], bool(kind % 2)
        scale = factor[is_write]
        sizes = load.sizes(is_write)
        asked = _accesses(profile, values, load, is_write, sizes)
        # the store's own structures lie on the device too: from the other socket its software is slower by as much
        demand[kind, :, 0] = scale * _software_ns(profile, values, asked.gets, is_write, sizes)
        alone, among = payload_ns_per_byte(profile, is_write, sizes, n, dimms)
        curve[kind, 1:] = scale * among
        kept[kind] = kept_among(float(sizes.mean()))[is_write]
        chain_reads[kind], chain_writes[kind] = asked.reads.mean(), asked.writes.mean()
        payload[kind] = (asked.copies * sizes).mean()
        parts = (asked.reads, read_idle), (asked.writes, write_idle), (asked.copies, sizes * scale * alone)
        demand[kind, :, 1:] = _spread(parts, profile.tail.write_body_sigma)
        if is_write:
            lines[kind] = asked.writes + asked.copies * sizes / MEDIA_LINE_BYTES
    curve[:, 0] = curve[:, 1]
    law = SpeedLaw(
        chain_reads=chain_reads,
        chain_writes=chain_writes,
        payload_bytes=payload,
        most_in_device=n,
        curve_ns_per_byte=curve,
        media_ns_per_byte=_media_ns_per_byte(curve),
        kept_in_mixes=kept,
        chain_media_ns=chain_reads * line_media[0] + chain_writes * line_media[1],
        read_idle_ns=read_idle,
        write_idle_ns=write_idle,
        read_line_ns=profile.queue_line_ns["load"] * factor[0],
        write_line_ns=profile.queue_line_ns["store_clwb"] * factor[1],
        idle_ns=chain_reads * read_idle + chain_writes * write_idle + payload * curve[:, 1],
    )
    wear, rare = _stall_probabilities(profile.tail, lines, values["hot_write_share"])
    most = (wear + rare).max(axis=1)
    gate = np.where(most <= 0.0, 0, np.where(most * GATES <= 1.0, 1, GATES)).astype(np.uint64)
    return Demand(demand, wear, rare, gate), law


def _spread(parts: Iterable[tuple[np.ndarray, np.ndarray]], sigma: float) -> np.ndarray:
    """Shape (n, 3): a, b, c so that a + b z + c z^2 has the first three cumulants of a sum of independent accesses.

    Args:
        parts: (how many accesses, mean of each; shape (n,) or a number), log-normal of `sigma`.
    """
    mean, square, cube = (sum(count * each**power for count, each in parts) for power in (1, 2, 3))
    variance = np.expm1(sigma**2)
    # b^2 + 2 c^2 is the variance, 6 b^2 c + 8 c^3 the third cumulant, where c is so small that its powers hardly count
    c = (variance + 3.0) * variance * cube / (6.0 * square)
    b = np.sqrt(np.maximum(variance * square - 2.0 * c**2, 0.0))
    return np.stack([mean - c, b, c], axis=-1)


def _stall_probabilities(tail: Tail, lines: np.ndarray, hot_share: float) -> tuple[np.ndarray, np.ndarray]:
    """That an operation which writes so many lines, a share of them in hot blocks, stalls: (wear levelling, rarer)."""
    hot = replace(tail, stall_probability=hot_share * tail.stall_probability)
    access = AccessLatency(0.0, hot, lines, region_bytes=0.0)
    return access.stall_probability, access.rare_stall_probability


def _line_media_ns(profile: Profile, operation: str, most: int, dimms: float) -> float:
    """Time of the media for one line, when as many threads as serve them best move lines."""
    threads = np.arange(1, most + 1, dtype=float)
    sizes = np.full(most, float(MEDIA_LINE_BYTES))
    each = ns_per_byte(profile, np.full(most, operation), sizes, threads, dimms)
    return float(MEDIA_LINE_BYTES * (each / threads).min())


def _media_ns_per_byte(curve: np.ndarray) -> np.ndarray:
    """Shape (4, n + 1): time of the media per byte, from that of a thread among 0..n."""
    shared = curve[:, 1:] / np.arange(1, curve.shape[1])
    media = np.minimum.accumulate(shared[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([media[:, :1], media], axis=1)


def _software_ns(
    profile: Profile, values: Mapping[str, float], gets: float, is_write: bool, sizes: np.ndarray
) -> np.ndarray:
    """CPU work in the store of one request by value size, with one operation in progress."""
    work = gets * _operation_ns(profile, values, "get", sizes)
    return work + _operation_ns(profile, values, "put", sizes) if is_write else work


def _operation_ns(profile: Profile, values: Mapping[str, float], operation: str, sizes: np.ndarray) -> np.ndarray:
    names = (f"{operation}_software_ns", f"{operation}_copy_ns_per_byte")
    chosen = any(is_chosen(values, name) for name in names)
    if not chosen and has_count(profile.access_profile, operation, "software_ns"):
        return count_at(profile.access_profile, operation, "software_ns", sizes)
    fixed, per_byte = (values[name] for name in names)
    return fixed + per_byte * sizes
