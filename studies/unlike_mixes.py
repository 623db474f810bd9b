"""Readers beside unlike writers, measured and predicted: `python -m studies.unlike_mixes ../shared/data`.

PerMA-Bench's parallel runs: random reads of 256 B to 16 KiB beside random writes of 256 B to 16 KiB, four machines,
and of DRAM sequential reads beside random stores of 64 B. How much a writer keeps waiting is told by nothing of mixes
(what is assumed), by the machine's mixes of equal access sizes, or by all its mixes but the one that is judged.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pmtwin.calibrate.context import Mix
from pmtwin.calibrate.effects.fitting import Measured
from pmtwin.calibrate.effects.media_queue import MIN_MIXES, MediaQueueFitting
from pmtwin.calibrate.effects.rows import bandwidth_rows
from pmtwin.calibrate.mixes import predicted_mib_s
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.device.effects.media_queue import MediaQueue
from pmtwin.sim.device.profile import Profile, load_profile

MACHINES = {
    "pmem_apache-128": "optane-dcpmm-100-128gb",
    "pmem_apache-256": "optane-dcpmm-100-256gb",
    "pmem_apache-512": "optane-dcpmm-100-512gb",
    "dram_apache-256": "dram-ddr4",
}
KINDS = ("assumed", "from equal sizes", "each left out")


def mixes_of(data: Path, machine: str) -> tuple[Mix, ...]:
    """All mixes of one machine."""
    path = data / "permabench" / "permabench_100series.csv.gz"
    return read_sources([str(path)], ReadOptions(machine=machine))[0].context.mixes


def told_by(profile: Profile, mixes: Sequence[Mix], operation: str) -> Profile:
    """The profile with a queue that these mixes tell, the assumed one where they are too few."""
    effects = {name: entries for name, entries in (profile.effects or {}).items() if name != MediaQueue.name}
    measured = Measured(bandwidth_rows((), ()), own_mixes=mixes)
    entry = MediaQueueFitting().fit(operation, profile, measured) if len(mixes) >= MIN_MIXES else None
    return replace(profile, effects=effects | ({MediaQueue.name: {operation: entry}} if entry else {}))


def alike(mix: Mix) -> bool:
    """Whether both sides of a mix have the same accesses."""
    return (mix.access_size_bytes, mix.pattern) == (mix.write_access_size_bytes, mix.write_pattern)


def errors(profile: Profile, mixes: Sequence[Mix], operation: str) -> dict[str, np.ndarray]:
    """Kind of knowledge -> errors of the total bandwidth of unlike mixes, in %."""
    those = [mix for mix in mixes if mix.write_operation == operation]
    equal, judged = [mix for mix in those if alike(mix)], [mix for mix in those if not alike(mix)]
    told = {
        "assumed": [told_by(profile, (), operation)] * len(judged),
        "from equal sizes": [told_by(profile, equal, operation)] * len(judged) if equal else [],
        "each left out": [told_by(profile, [each for each in those if each is not mix], operation) for mix in judged],
    }
    return {
        kind: np.array([_error(at, mix) for at, mix in zip(profiles, judged, strict=True)])
        for kind, profiles in told.items()
        if profiles
    }


def _error(profile: Profile, mix: Mix) -> float:
    return 100.0 * (predicted_mib_s(profile, mix) / mix.bandwidth_mib_s - 1.0)


def main(data: Path) -> None:
    together: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS}
    for machine, name in MACHINES.items():
        mixes = mixes_of(data, machine)
        for operation in sorted({mix.write_operation for mix in mixes}):
            by_kind = errors(load_profile(name), mixes, operation)
            for kind, misses in by_kind.items():
                together[kind].append(misses)
            text = "; ".join(f"{kind} {_three(misses)}" for kind, misses in by_kind.items())
            print(f"{machine} {operation}: {text}")
    print("all: " + "; ".join(f"{kind} {_three(np.concatenate(parts))}" for kind, parts in together.items()))


def _three(misses: np.ndarray) -> str:
    size = np.abs(misses)
    return f"{np.median(size):.1f} / {size.mean():.1f} / {np.quantile(size, 0.9):.1f} % ({size.size})"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
