"""Are the intervals of another campaign, and of another device, what they say? Beside those of the same campaign.

A campaign: FAST'20's figure 4 (256 B, sequential, 1 to 24 threads, one module and six), asked of the profile of the
same authors' sweep. Devices: each machine of PerMA-Bench, asked of the profiles of the others; no width knows it.

    python -m studies.interval_kinds ../shared/data
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.document import ReadOptions
from pmtwin.sim.device import interval_kinds
from pmtwin.sim.device.interval_kinds import CAMPAIGN, DEVICE, REPEAT, with_interval
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile, profile_names

ALPHA = 0.1
FIGURES = {6.0: "fast20_04-bandwidth_thcount_optane.csv", 1.0: "fast20_04-bandwidth_thcount_optane_ni.csv"}
COLUMNS = ("load", "ntstore", "store_clwb")
"""Of the figure, behind the threads; the headers of the writes of the interleaved one are swapped."""


def interval_score(measured: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Mean score of 90 % intervals of log bandwidth, smaller is better (Gneiting and Raftery, JASA 2007, eq. 43)."""
    below, above = np.maximum(low - measured, 0.0), np.maximum(measured - high, 0.0)
    return float(np.mean(high - low + 2.0 / ALPHA * (below + above)))


def judged(profile: Profile, points: dict[str, np.ndarray], measured: np.ndarray, interval: str) -> tuple[float, ...]:
    """(coverage, interval score, median half-width of log bandwidth) of the points that have an interval."""
    result = predict(with_interval(profile, interval), points)
    low, high = (np.log(result[f"bandwidth_{end}_mib_s"]) for end in ("low", "high"))
    known, measured = np.isfinite(low), np.log(measured)
    low, high, measured = low[known], high[known], measured[known]
    inside = np.mean((low <= measured) & (measured <= high))
    return float(inside), interval_score(measured, low, high), float(np.median(high - low)) / 2.0


def figure_4(folder: Path) -> Iterator[tuple[str, dict[str, np.ndarray], np.ndarray]]:
    """(name, points, bandwidth in MiB/s) of each curve."""
    for dimms, name in FIGURES.items():
        with (folder / name).open(newline="") as file:
            rows = np.array([[float(cell) for cell in row] for row in list(csv.reader(file))[1:]])
        for column, operation in enumerate(COLUMNS, start=1):
            points = {"operation": np.full(len(rows), operation), "pattern": np.full(len(rows), "sequential")}
            numbers = {"access_size_bytes": 256.0, "threads": rows[:, 0], "dimms": dimms, "power_w": 15.0}
            points |= {key: np.broadcast_to(value, len(rows)) for key, value in numbers.items()}
            yield f"{operation}, {dimms:g} DIMM", points, rows[:, column] * 1024.0


def other_machines(file: Path) -> Iterator[tuple[str, Profile, str, dict[str, np.ndarray], np.ndarray]]:
    """(name, profile, the machine's own profile, points, bandwidth) of each machine and each profile of another."""
    shipped = [name for name in profile_names() if load_profile(name).record["media"] == "pmem"]
    for size in ("128", "256", "512"):
        measurements, _ = read_sources([file], ReadOptions(machine=f"pmem_apache-{size}"))
        c, _ = group(measurements)
        for name in shipped:
            profile = load_profile(name)
            if name.endswith(f"-{size}gb"):
                continue
            known = {(of, box["pattern"]) for of, boxes in profile.fitted_range.items() for box in boxes}
            here = np.array([pair in known for pair in zip(c.operation.tolist(), c.pattern.tolist(), strict=True)])
            columns = ("operation", "pattern", "access_size_bytes", "threads", "dimms", "power_w")
            points = {column: getattr(c, column)[here] for column in columns}
            yield f"{size} GB of {name}", profile, f"optane-dcpmm-100-{size}gb", points, c.bandwidth_mib_s[here]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print coverage, interval score and half-width of each curve and machine, as repeat and as what it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("data", type=Path, help="folder that holds optane and permabench")
    data = parser.parse_args(arguments).data
    profile = load_profile()
    for name, points, measured in figure_4(data / "optane"):
        _tell(name, [judged(profile, points, measured, interval) for interval in (REPEAT, CAMPAIGN)])
    for name, other, own, points, measured in other_machines(data / "permabench" / "permabench_100series.csv.gz"):
        rest = [each for each in profile_names() if each != own]
        with patch.object(interval_kinds, "profile_names", lambda rest=rest: rest):
            _tell(name, [judged(other, points, measured, interval) for interval in (REPEAT, DEVICE)])
    return 0


def _tell(name: str, both: Sequence[tuple[float, ...]]) -> None:
    print(f"{name:40s}", *(f"inside {a:6.1%}, score {b:5.2f}, half-width {c:.3f};" for a, b, c in both))


if __name__ == "__main__":
    sys.exit(main())
