"""Tables of a `SpeedLaw`: service speeds of operations of each kind."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.service.remote_mixes import mix_factors
from pmtwin.scenarios.nvm_middleware.model.service.speeds import SpeedLaw
from pmtwin.sim.device.payloads import kept_in_mixes, line_media_ns
from pmtwin.sim.load.workload import GET, Kind, Workload
from pmtwin.sim.store.operation_demand import DeviceView, OperationDemand


def speed_law(
    device: DeviceView, workload: Workload, kinds: tuple[Kind, ...], demands: list[OperationDemand]
) -> SpeedLaw:
    """The speed law of a workload on a device, from the demand of each kind."""
    profile, factors = device.profile, device.factors
    reads, writes, payload, written_lines = (
        np.array([getattr(each, name) for each in demands], dtype=float)
        for name in ("reads", "writes", "payload_bytes", "chain_lines")
    )
    curve, writing, mix_shares = _payload_tables(device, workload, kinds, [each.streams for each in demands], payload)
    curve[:, 0] = curve[:, 1]
    read_idle, write_idle = device.idle_ns
    read_line, write_line = (
        scale * line_media_ns(profile, operation, device.most, device.dimms)
        for operation, scale in zip(("load", "store_clwb"), factors, strict=True)
    )
    return SpeedLaw(
        chain_reads=reads,
        chain_writes=writes,
        payload_bytes=payload,
        most_in_device=device.most,
        curve_ns_per_byte=curve,
        media_ns_per_byte=_media_ns_per_byte(curve),
        writing_share=writing,
        kept_in_mixes=mix_shares,
        chain_media_ns=reads * read_line + written_lines * write_line,
        read_idle_ns=read_idle,
        write_idle_ns=write_idle,
        read_line_ns=profile.queue_line_ns["load"] * factors[0],
        write_line_ns=profile.queue_line_ns["store_clwb"] * factors[1],
        idle_ns=reads * read_idle + writes * write_idle + payload * curve[:, 1],
    )


def _payload_tables(
    device: DeviceView,
    workload: Workload,
    kinds: tuple[Kind, ...],
    moved: list[dict[str, np.ndarray]],
    payload: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables of `SpeedLaw` by kind and number of streaming threads.

    Args:
        moved: for each kind, instruction -> time in ns of the payload among 1 to `most` threads, shape (most,).
        payload: bytes by kind.

    Returns:
        (`curve_ns_per_byte`, `writing_share`, `kept_in_mixes`).
    """
    profile, most, dimms = device.profile, device.most, device.dimms
    remote = {"ntstore": mix_factors(device.mix_factor, most)}

    @lru_cache
    def tables(operation: str, size: float) -> list[np.ndarray]:
        return [kept / remote.get(operation, 1.0) for kept in kept_in_mixes(profile, operation, size, most, dimms)]

    curve, writing = np.empty((len(kinds), most + 1)), np.zeros((len(kinds), most + 1))
    kept = np.empty((len(kinds), most + 1, most + 1))
    for kind, streams in enumerate(moved):
        class_index, operation = kinds[kind]
        load, is_write = workload.classes[class_index], operation != GET
        if payload[kind] == 0.0:  # values that lie in the line that the chain ends with
            curve[kind], writing[kind], kept[kind] = 0.0, float(is_write), 1.0
            continue
        size, total = float(load.sizes(is_write).mean()), sum(streams.values())
        curve[kind, 1:] = total / payload[kind]
        updates = moved[kinds.index(Kind(class_index, "put_update"))]
        writing_ns = {operation: time for operation, time in updates.items() if operation != "load"}
        writing_ns = writing_ns or {"store_clwb": np.zeros(most)}  # writes so short that the chain moves them
        # beside writes of two instructions a read keeps the mean of what it keeps beside each, weighted by their times
        weights = np.array([time[0] for time in writing_ns.values()]) + np.finfo(float).tiny
        reads = np.average([tables(operation, size)[0] for operation in writing_ns], axis=0, weights=weights)
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


def _media_ns_per_byte(curve: np.ndarray) -> np.ndarray:
    """Time of the media per byte, shape (K, n + 1), from the time of one thread among 0..n threads."""
    shared = curve[:, 1:] / np.arange(1, curve.shape[1])
    media = np.minimum.accumulate(shared[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([media[:, :1], media], axis=1)
