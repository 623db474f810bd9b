"""Reads beside writers, measured and predicted: `python -m studies.reads_behind_writes ../shared/data`.

FAST'20's figure 6 states latencies of dependent reads. PerMA-Bench states bandwidths of readers beside writers;
Little's law makes latencies of them, a thread keeping as many reads under way as one that is alone does by the same
profile.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from pmtwin.calibrate.effects.mix_rows import DECIMAL_MB_IN_MIB
from pmtwin.calibrate.effects.mixes import under_load
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile

GIB = float(1 << 30)
MACHINES = {"128": "optane-dcpmm-100-128gb", "256": "optane-dcpmm-100", "512": "optane-dcpmm-100-512gb"}
Rows = list[tuple[str, float, dict[str, np.ndarray]]]
"""(what, measured ns, prediction) of one read each."""


def dependent_reads(data: Path) -> Rows:
    """One reader beside fifteen sequential writers that offer more and more, six modules."""
    with (data / "optane" / "fast20_06-bandwidth_seqwrite_latency.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    load = np.array([float(row[6]) * 1024.0 * DECIMAL_MB_IN_MIB for row in rows])
    result = under_load(load_profile(), load)
    return [
        (row[0], float(row[5]), {name: values[index : index + 1] for name, values in result.items()})
        for index, row in enumerate(rows)
    ]


def readers_beside_flushes(data: Path) -> Rows:
    """64 B random reads beside 64 B flushed stores, sixteen threads in all."""
    profile, rows = load_profile(), []
    with (data / "permabench" / "numa_100series_256gb.csv").open() as file:
        for row in csv.DictReader(file):
            share = float(row["write_ratio"])
            if row["numa"] == "near" and 0.0 < share < 1.0:
                readers = 16.0 * (1.0 - share)
                measured = _latency_ns(profile, readers, 64.0, float(row["read_bandwidth_gib_s"]))
                rows.append((f"{share:g}", measured, _mix(profile, readers, 16.0 * share, 64.0, 64.0, "store_clwb")))
    return rows


def readers_beside_pages(data: Path) -> Rows:
    """Sixteen readers of 256 B beside sixteen writers of pages, random, three machines."""
    pages: dict = defaultdict(dict)
    with gzip.open(data / "permabench" / "permabench_100series.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["bm"] == "page_propagation" and row["file"].startswith("pmem"):
                pages[row["file"], row["idx"]][row["sub"]] = row
    rows = []
    for (machine, _), sides in sorted(pages.items()):
        size, written = (float(sides[side]["cfg_access_size"]) for side in ("page_in", "page_out"))
        profile = load_profile(MACHINES[machine.rpartition("-")[2]])
        if size == 256.0:
            measured = _latency_ns(profile, 16.0, size, float(sides["page_in"]["res_bandwidth"]))
            rows.append((f"{machine} {written:g} B", measured, _mix(profile, 16.0, 16.0, size, written, "ntstore")))
    return rows


def errors(rows: Rows) -> np.ndarray:
    """Errors of the predicted latencies, in %."""
    return np.array([100.0 * (result["read_latency_ns"][0] / measured - 1.0) for _, measured, result in rows])


def coverage(rows: Rows) -> tuple[int, int]:
    """(rows inside their interval, rows that have one)."""
    ends = [
        (measured, result["read_latency_low_ns"][0], result["read_latency_high_ns"][0]) for _, measured, result in rows
    ]
    known = [(measured, low, high) for measured, low, high in ends if np.isfinite(low)]
    return sum(low <= measured <= high for measured, low, high in known), len(known)


def _latency_ns(profile: Profile, readers: float, size: float, read_gib_s: float) -> float:
    alone = predict(profile, _columns("load", 1.0, size))
    under_way = alone["latency_ns"][0] / alone["time_per_access_ns"][0]
    return under_way * readers * size / (read_gib_s * GIB) * 1e9


def _mix(profile: Profile, readers: float, writers: float, size: float, written: float, operation: str) -> dict:
    sides = {"read_threads": readers, "write_threads": writers, "write_operation": operation}
    sides |= {"read_access_size_bytes": size, "write_access_size_bytes": written}
    return predict(profile, _columns("mixed", readers + writers, size, **sides))


def _columns(operation: str, threads: float, size: float, **more: object) -> dict[str, np.ndarray]:
    same = {"operation": operation, "pattern": "random", "access_size_bytes": size, "dimms": 6.0, "power_w": 15.0}
    return {name: np.array([value]) for name, value in (same | {"threads": threads} | more).items()}


def main(data: Path) -> None:
    for measured in (dependent_reads, readers_beside_flushes, readers_beside_pages):
        rows = measured(data)
        misses = np.abs(errors(rows))
        inside, known = coverage(rows)
        print(f"{measured.__name__}: median {np.median(misses):.1f} %, largest {misses.max():.1f} %, {inside}/{known}")
        for (name, latency, result), error in zip(rows, errors(rows), strict=True):
            print(f"  {name:28} {latency:6.0f} ns, predicted {result['read_latency_ns'][0]:6.0f} ({error:+.0f} %)")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
