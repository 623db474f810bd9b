"""Fewer modules than six, measured and predicted: `python -m studies.modules ../shared/data`.

PerMA-Bench's `dimm_scaling.csv.gz`, which no profile was fitted to: bandwidth of 1, 2 and 4 interleaved modules over
that of six, the same accesses.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

import numpy as np

from pmtwin.calibrate.effect_files import PERMA_WRITES
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile

FILE = "permabench/dimm_scaling.csv.gz"
PROFILES = ("optane-dcpmm-100", "optane-dcpmm-100-256gb")
FEWER = (1, 2, 4)

Access = tuple[str, str, float, float]
"""Operation, pattern, size, threads."""


def measured(path: Path) -> dict[tuple[Access, int], float]:
    """(access, modules) -> GiB/s."""
    speeds = {}
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            writes = row["cfg_operation"] == "write"
            operation = PERMA_WRITES.get(row["cfg_persist_instruction"]) if writes else "load"
            if row["res_bandwidth"] and row["cfg_operation"] in ("read", "write") and operation:
                pattern = "random" if row["cfg_exec_mode"] == "random" else "sequential"
                access = operation, pattern, float(row["cfg_access_size"]), float(row["cfg_number_threads"])
                speeds[access, int(row["dimms"])] = float(row["res_bandwidth"])
    return speeds


def predicted(profile: Profile, access: Access, modules: int) -> float:
    """GiB/s."""
    names = ("operation", "pattern", "access_size_bytes", "threads")
    point = dict(zip(names, access, strict=True)) | {"dimms": float(modules), "power_w": REFERENCE_POWER_W}
    return (
        float(predict(profile, {name: np.array([value]) for name, value in point.items()})["bandwidth_mib_s"][0]) / 1024
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the published files")
    speeds = measured(parser.parse_args().data / FILE)
    accesses = sorted({access for access, _ in speeds})
    for name in PROFILES:
        profile = load_profile(name)
        known = [each for each in accesses if each[:2] != ("store_clwb", "sequential")]
        for modules in FEWER:
            errors = {
                access: np.log(predicted(profile, access, modules) / predicted(profile, access, FULL_SET_DIMMS))
                - np.log(speeds[access, modules] / speeds[access, FULL_SET_DIMMS])
                for access in known
            }
            kinds = sorted({access[:2] for access in known})
            of_kind = {kind: [error for access, error in errors.items() if access[:2] == kind] for kind in kinds}
            told = ", ".join(f"{' '.join(kind)} {ape(np.array(part))[0]:.0f}" for kind, part in of_kind.items())
            total = " / ".join(f"{each:.1f}" for each in ape(np.array(list(errors.values()))))
            print(f"{name}, {modules} of {FULL_SET_DIMMS} modules: {total} %; medians: {told}")
        access = "ntstore", "sequential", 1024.0, 32.0
        ours, theirs = predicted(profile, access, 4), speeds[access, 4]
        print(f"{name}: 32 threads of ntstore, 1 KiB, 4 modules: {theirs:.1f} GiB/s measured, {ours:.1f} predicted")


if __name__ == "__main__":
    main()
