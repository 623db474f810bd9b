"""Export of the model's numbers for code that is not Python: a table of one workload on one host and device, as JSON.

The emulated device of the real middleware (`middleware/emulation/`) delays requests as long as the twin predicts. It
computes nothing itself: this module tabulates the demand of a request on processors and device, and the speed of each
population of the device, from the model that the engines run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import speeds_of
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.writing import write_text
from pmtwin.sim.load.workload import CLASSES, GET, GETS_AND_UPDATES, Workload

FORMAT, VERSION = "pmtwin-service-table", 2

_HOST_TABLES = ("rate", "inverse_rate", "handoff_ns", "kv_factor", "crowding", "preempted_ns")
_HOST_NUMBERS = ("hardware_threads", "polls", "shared", "limit", "spinning", "preemption_ns", "wakeup_ns")
_KIND_ARRAYS = ("handoff_factor", "wear_probability", "rare_probability")
_NOISES = ("cpu_noise", "normal", "wear_ns")


def service_table(model: Model, most_workers: tuple[int, int], besides: Collection[int] = ()) -> dict:
    """Service times for the emulated device, in JSON's own types; times in ns, sizes in bytes.

    Args:
        model: of `pmtwin.scenarios.nvm_middleware.model.model.build_model`.
        most_workers: the largest (interactive, batch) pools for which speeds are tabulated. Without a middleware both
            are `direct_concurrency`, which the classes share.
        besides: further kinds, of which requests of an earlier workload may be left; the speeds include them.

    Returns:
        `host`: tables over the number of threads that want a hardware thread, up to the largest possible number;
        `kinds`: four, index 2 * class + is_write, with a row of (size, software, a, b, c) for each of the equally
        likely sizes (one row if all are the same; `pmtwin.scenarios.nvm_middleware.model.service.build.Demand`);
        `noise`; `classes`: clients and trace; `speeds`.

    Raises:
        InputError: for inserts or removes, pools of less than one worker, or a host on which accesses to the device
            occupy hardware threads.
    """
    check_gets_and_updates(model.workload)
    if model.plain.access_holds_cpu:
        raise InputError("access_holds_cpu", 1, "0: processors and device of an emulated machine are separate stations")
    for name, workers in zip(CLASSES, most_workers, strict=True):
        if workers < 1:
            raise InputError(f"most_workers ({name})", workers, "at least 1")
    plain = model.plain
    threads = max(sum(most_workers), plain.spinning) + 1
    return {
        "format": FORMAT,
        "version": VERSION,
        "workload": model.workload.name,
        "host": {name: getattr(plain, name) for name in _HOST_NUMBERS}
        | {name: getattr(plain, name)[:threads] for name in _HOST_TABLES},
        "client_wakeup_ns": plain.client_wakeup_ns,
        "kinds": [_kind(model, number) for number in range(len(GETS_AND_UPDATES))],
        "noise": {name: getattr(plain, name) for name in _NOISES}
        | {"rare_low_ns": plain.rare_low_ns, "rare_span_ns": plain.rare_span_ns},
        "classes": [
            {
                "clients": plain.clients[c],
                "closed": bool(plain.closed[c]),
                "write_threshold": plain.threshold[c][2 * c + 1],
                "gaps_ns": plain.gaps_ns[c],
            }
            for c in range(len(CLASSES))
        ],
        "speeds": _speeds(model, most_workers, {*used_kinds(model.workload), *besides}),
    }


def write_service_table(path: str | os.PathLike, model: Model, most_workers: tuple[int, int]) -> Path:
    """Write `service_table` as a file. Raises `InputError` if it cannot be written."""
    text = json.dumps(service_table(model, most_workers), allow_nan=False)
    return write_text(path, text + "\n")


def used_kinds(workload: Workload) -> list[int]:
    """The numbers of the kinds of operation that a workload of gets and updates has."""
    return [GETS_AND_UPDATES.index(kind) for kind in workload.used_kinds]


def check_gets_and_updates(workload: Workload) -> None:
    """Raise `InputError` for a workload with inserts or removes, which the real middleware's replay does not make."""
    for name, load in zip(CLASSES, workload.classes, strict=True):
        for field in ("insert_share", "remove_share"):
            if load.clients and getattr(load, field) * load.write_ratio > 0.0:
                allowed = "0: the emulated device and the replay on the real middleware make gets and updates"
                raise InputError(f"workload {workload.name}: {name} {field}", getattr(load, field), allowed)


def _kind(model: Model, kind: int) -> dict:
    record = model.records[0]
    mask = int(record["size_mask"][kind])
    rows = slice(0, mask + 1)
    class_index, operation = model.kinds[kind]
    sizes = model.workload.classes[class_index].sizes(operation != GET)
    demand = np.column_stack([sizes, record["demand_ns"][kind]])[rows]
    return {
        "used": model.kinds[kind] in model.workload.used_kinds,
        "demand": demand.tolist(),
        "stall_gate": int(record["stall_gate"][kind]),
    } | {name: record[name][kind][rows].tolist() for name in _KIND_ARRAYS}


def _speeds(model: Model, most_workers: tuple[int, int], kinds: Collection[int]) -> dict:
    """Speeds of every population of these kinds that the pools allow.

    `most`: the largest number of each kind; rows are ordered as nested loops over the four kinds, the last
    the fastest, each from 0 to its most, leaving out populations with more operations of a class than workers, or more
    in total than hardware threads. A row has a speed for each kind.
    """
    hardware = int(model.plain.hardware_threads)
    classes = [min(workers, hardware) for workers in most_workers]
    most = [classes[kind.class_index] if number in kinds else 0 for number, kind in enumerate(GETS_AND_UPDATES)]
    pairs = [_pairs(most[2 * c], most[2 * c + 1], classes[c]) for c in range(len(CLASSES))]
    populations = [(*i, *b) for i in pairs[0] for b in pairs[1] if sum(i) + sum(b) <= hardware]
    count = len(GETS_AND_UPDATES)
    rows = [speeds_of(model.records, model.rows, np.array(population))[:count].tolist() for population in populations]
    return {"most": most, "class_most": classes, "rows": rows}


def _pairs(reads: int, writes: int, both: int) -> list[tuple[int, int]]:
    return [(r, w) for r in range(reads + 1) for w in range(writes + 1) if r + w <= both]
