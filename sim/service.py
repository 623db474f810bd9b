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

from sim.accesses import accesses_of
from sim.device.access_latency import AccessLatency
from sim.device.geometry import MEDIA_LINE_BYTES
from sim.device.profile import Profile
from sim.device.tail import Tail
from sim.payloads import kept_in_mixes, ns_per_byte, ns_per_byte_among
from sim.requests import GATES
from sim.speeds import KINDS, SpeedLaw
from sim.workload import SIZE_BINS, Workload


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
    moved = []
    for kind in range(KINDS):
        load, is_write = workload.classes[kind // 2], bool(kind % 2)
        asked = accesses_of(profile, values, load, is_write)
        # the store's own structures lie on the device too: from the other socket its software is slower by as much
        demand[kind, :, 0] = factor[is_write] * asked.software_ns
        chain_reads[kind], chain_writes[kind] = asked.reads.mean(), asked.writes.mean()
        parts, streams = [(asked.reads, read_idle), (asked.writes, write_idle)], {}
        for transfer in asked.transfers:
            writes = transfer.operation != "load"
            each = factor[writes] * ns_per_byte_among(profile, transfer.operation, transfer.access_bytes, n, dimms)
            parts.append((transfer.count, transfer.piece_bytes * each[:, 0]))
            streams[transfer.operation] = transfer.count * (transfer.piece_bytes[:, None] * each).mean(axis=0)
            if writes:
                lines[kind] += transfer.count * transfer.piece_bytes / MEDIA_LINE_BYTES
        demand[kind, :, 1:] = _spread(parts, profile.tail.write_body_sigma)
        lines[kind] += asked.writes
        payload[kind] = sum(transfer.count * transfer.piece_bytes.mean() for transfer in asked.transfers)
        moved.append(streams)
    curve, writing, kept = _payload_tables(profile, workload, moved, payload, n, dimms)
    curve[:, 0] = curve[:, 1]
    law = SpeedLaw(
        chain_reads=chain_reads,
        chain_writes=chain_writes,
        payload_bytes=payload,
        most_in_device=n,
        curve_ns_per_byte=curve,
        media_ns_per_byte=_media_ns_per_byte(curve),
        writing_share=writing,
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


def _payload_tables(
    profile: Profile,
    workload: Workload,
    moved: list[dict[str, np.ndarray]],
    payload: np.ndarray,
    most: int,
    dimms: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `SpeedLaw` has by kind and number of streaming threads.

    Args:
        moved: of each kind, instruction -> time in ns among 1 to `most` threads, shape (most,), that the payload takes.
        payload: bytes by kind.

    Returns:
        (`curve_ns_per_byte`, `writing_share`, `kept_in_mixes`).
    """
    tables = lru_cache(lambda operation, size: kept_in_mixes(profile, operation, size, most, dimms))
    curve, writing = np.empty((KINDS, most + 1)), np.zeros((KINDS, most + 1))
    kept = np.empty((KINDS, most + 1, most + 1))
    for kind, streams in enumerate(moved):
        load, is_write = workload.classes[kind // 2], bool(kind % 2)
        if payload[kind] == 0.0:  # values that lie in the line that the chain ends with
            curve[kind], writing[kind], kept[kind] = 0.0, float(is_write), 1.0
            continue
        size, total = float(load.sizes(is_write).mean()), sum(streams.values())
        curve[kind, 1:] = total / payload[kind]
        beside = {operation: time for operation, time in moved[2 * (kind // 2) + 1].items() if operation != "load"}
        # among writes of two instructions a read keeps what it keeps among either, in proportion to their times
        weights = np.array([time[0] for time in beside.values()]) + np.finfo(float).tiny
        reads = np.average([tables(operation, size)[0] for operation in beside], axis=0, weights=weights)
        slowed = np.zeros((most + 1, most + 1))
        for operation, time in streams.items():
            share = np.concatenate([[0.0], time / total])
            slowed += share[:, None] / (reads if operation == "load" else tables(operation, size)[1])
            if operation != "load":
                writing[kind] += share
        slowed[0] = 1.0
        kept[kind] = 1.0 / slowed
    writing[:, 0] = writing[:, 1]
    return curve, writing, kept


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
