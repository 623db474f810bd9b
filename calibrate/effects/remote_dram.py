"""Fit of the remote node's DRAM: LATTester's `rdram` over its `ldram`, with a factor and the capacity of the link."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from pmtwin.calibrate.effect_files import LATTESTER_OPERATIONS, SWEEP
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import over_plain
from pmtwin.calibrate.effects.rows import cell_number, records
from pmtwin.sim.device.effects.remote import linked_mib_s
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.files.csv_table import Table

NODES = "ldram", "rdram"
"""LATTester's names of the DRAM of either node."""

MIN_PAIRS = 12
STARTS = {"time_factor": 1.5, "link_mib_s": 40_000.0}


def tells_of_dram(table: Table) -> bool:
    """Whether a table is a sweep of both nodes' DRAM."""
    return set(table.header) >= SWEEP | {"media"} and set(table.column("media")) >= set(NODES)


def remote_of_dram(operation: str, tables: Iterable[Table]) -> dict | None:
    """The entry of one operation from random accesses of both nodes' DRAM; None if fewer than `MIN_PAIRS` match."""
    speeds: dict[tuple[float, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for table in filter(tells_of_dram, tables):
        for index, row in enumerate(records(table)):
            access = LATTESTER_OPERATIONS.get(row["operation"]), row["task_type"]
            if access != (operation, "RandBW") or row["media"] not in NODES:
                continue
            names = ("access_size", "threads", "throughput")
            size, threads, speed = (cell_number(row[name], name, table.place(index)) for name in names)
            if speed > 0.0:
                speeds[size, threads][row["media"]].append(speed)
    pairs = {key: [float(np.median(of[node])) for node in NODES] for key, of in speeds.items() if set(of) == set(NODES)}
    if len(pairs) < MIN_PAIRS:
        return None
    local, remote = np.array([pairs[key] for key in sorted(pairs)]).T

    def log_bandwidth(parameters: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        return np.log(linked_mib_s(local[index] / parameters["time_factor"], parameters["link_mib_s"]))

    fit = fit_effect(STARTS, log_bandwidth, remote)
    columns = dict(zip(("access_size_bytes", "threads"), zip(*pairs, strict=True), strict=True))
    box = {name: [min(values), max(values)] for name, values in columns.items()}
    box["dimms"] = [float(FULL_SET_DIMMS)] * 2
    entry = fit.entry([{"pattern": "random", **box}], len(pairs))
    entry["link_mib_s"] = entry["parameters"].pop("link_mib_s")
    return entry | {"bandwidth_over_plain": over_plain(remote / local)}
