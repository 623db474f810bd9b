"""The twin under closed loops that only the device limits, beside what the law predicts for the same accesses."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines import make_engine
from pmtwin.scenarios.nvm_middleware.model.engines.base import WindowResult
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.device.payloads import payload_operation
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.draws import class_keys
from pmtwin.sim.errors import CheckFailedError
from pmtwin.sim.load.workload import SIZE_BINS, ClassWorkload, Workload
from pmtwin.sim.parameters.values import resolve

THREADS = (1, 2, 4, 8, 16, 24, 32, 48)
SIZES_BYTES = (64, 256, 4096, 65_536)
SEVERAL = (64, 512, 2048, 16_384)
"""Equally likely: the largest moves 86 bytes in a hundred, and writes take both instructions."""
MIXES = ((12, 4), (8, 8), (4, 12), (24, 24))
MIX_SIZES_BYTES = (64, 4096)
DIMMS = 6

DEVICE_ALONE = {
    "handoff_ns": 0.0, "get_software_ns": 0.0, "put_software_ns": 0.0, "get_copy_ns_per_byte": 0.0,
    "put_copy_ns_per_byte": 0.0, "client_wakeup_ns": 0.0, "get_chain_accesses": 0.0, "put_chain_accesses": 0.0,
    "put_persists": 0.0, "put_write_factor": 1.0, "hot_write_share": 0.0, "direct_remote": 0.0,
}  # fmt: skip
"""Parameters under which an operation is its payload and nothing else."""


def run(profile_name: str, requests: int, compared: int, seed: int) -> dict:
    """Closed loops of one size, of several sizes, and of reads beside writes.

    Args:
        requests: completions of each case on engine `compiled`.
        compared: completions of each case on both engines, which have to be the same.

    Returns:
        `cases`: each `what` (reads, writes, mix), `sizes` in bytes, `readers`, `writers`, and (read, write) bandwidths
        `law_mib_s` and `simulated_mib_s`; `requests`; `compared`.

    Raises:
        CheckFailedError: if any latency differs between the engines.
    """
    profile, cases = load_profile(profile_name), []
    for is_write in (False, True):
        for sizes in (*((size,) for size in SIZES_BYTES), SEVERAL):
            cases += [(("reads", "writes")[is_write], sizes, *_sides(is_write, n)) for n in THREADS]
    cases += [("mix", (size,), *counts) for size in MIX_SIZES_BYTES for counts in MIXES]
    return {
        "profile": profile.name,
        "requests": requests,
        "compared": compared,
        "cases": [_case(profile, requests, compared, seed, *case) for case in cases],
    }


def _sides(is_write: bool, threads: int) -> tuple[int, int]:
    return (0, threads) if is_write else (threads, 0)


def _case(
    profile: Profile,
    requests: int,
    compared: int,
    seed: int,
    what: str,
    sizes: tuple[int, ...],
    readers: int,
    writers: int,
) -> dict:
    at = profile, sizes, readers, writers
    compiled, simpy = (_window(engine, *at, compared, seed)[0].latency_ns for engine in ("compiled", "simpy"))
    if not np.array_equal(compiled, simpy):
        raise CheckFailedError(f"engines: {what} of {sizes} B by {readers} + {writers} threads differ")
    return {
        "what": what,
        "sizes": list(sizes),
        "readers": readers,
        "writers": writers,
        "law_mib_s": law_mib_s(*at),
        "simulated_mib_s": simulated_mib_s(*at, requests, seed),
    }


def law_mib_s(profile: Profile, sizes: tuple[int, ...], readers: int, writers: int) -> list[float]:
    """(read, write) bandwidth by `predict`; of several sizes the threads' mean, weighted by time."""

    def bandwidths(size: int) -> list[float]:
        operation = "mixed" if readers and writers else payload_operation(bool(writers), size)
        point = {"operation": operation, "pattern": "random", "access_size_bytes": float(size), "dimms": float(DIMMS),
                 "power_w": REFERENCE_POWER_W, "threads": float(readers + writers), "read_threads": float(readers),
                 "write_threads": float(writers), "write_operation": payload_operation(True, size)}  # fmt: skip
        predicted = predict(profile, {name: np.array([value]) for name, value in point.items()})
        return [float(predicted[f"{side}_bandwidth_mib_s"][0]) for side in ("read", "write")]

    by_size = np.array([bandwidths(size) for size in sizes])
    if len(sizes) == 1:
        return by_size[0].tolist()
    sides = np.zeros(2)
    side = int(writers > 0)
    sides[side] = sum(sizes) / sum(size / mib_s for size, mib_s in zip(sizes, by_size[:, side], strict=True))
    return sides.tolist()


def simulated_mib_s(
    profile: Profile, sizes: tuple[int, ...], readers: int, writers: int, requests: int, seed: int
) -> list[float]:
    """(read, write) bandwidth of threads that are always on the device."""
    window, mean_bytes = _window("compiled", profile, sizes, readers, writers, requests, seed)
    counts = np.bincount(window.classes, minlength=2)
    return (counts * mean_bytes / (window.end_ns - window.start_ns) * (1e9 / MIB)).tolist()


def _window(
    engine: str, profile: Profile, sizes: tuple[int, ...], readers: int, writers: int, requests: int, seed: int
) -> tuple[WindowResult, float]:
    """The requests of a window after a warm-up of a tenth, and their mean size in bytes."""
    drawn = np.resize(np.array(sizes, dtype=float), SIZE_BINS)
    classes = (ClassWorkload(readers, 0.0, drawn, drawn), ClassWorkload(writers, 1.0, drawn, drawn))
    values = resolve() | DEVICE_ALONE | {"dimms": DIMMS}
    model = build_model(profile, Workload("device alone", *classes), values, direct=True)
    running = make_engine(engine, model, class_keys(np.random.SeedSequence(seed)), (1, 1))
    running.run_window(requests // 10 + 1, (0, 0))
    return running.run_window(requests, (0, 0)), float(drawn.mean())
