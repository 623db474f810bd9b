"""Demand of the twin's requests to a store whose number of records is stated, by the law of `pmtwin.sim.store.work`.

A page walk, and the time of a round beyond the device's write, are waits for memory: they are converted to dependent
reads of the same duration. The serial part of an operation counts as software; the twin has no queue before it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.access_profile import CACHE_LINE_BYTES, KEY_BYTES, outside_counts
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.load.workload import GET, ClassWorkload
from pmtwin.sim.parameters.store_law import STORE_PARAMETERS, twin_name
from pmtwin.sim.store.counts import COUNTED_AS, StorePoint, counts_of
from pmtwin.sim.store.request_accesses import RequestAccesses, Transfer
from pmtwin.sim.store.work import Work, work_of

LEAST_READS = 1e-3
"""Reads of a request whose data are all in the caches; above 0, since speeds are ratios of times."""


def large_store_accesses(
    profile: Profile, values: Mapping[str, float], load: ClassWorkload, operation: str
) -> RequestAccesses:
    """Demand of a request of a class, by value size.

    Args:
        values: resolved parameters, with `records` above 0.
        operation: one of `pmtwin.sim.load.workload.OPERATIONS`.
    """
    # the get before an update is of the same key, and part of the work of the update
    gets_before = 0.0 if operation == "put_update" else load.gets_per_write
    gets = load.gets_per_read if operation == GET else gets_before
    parts = [(gets, _work(profile, values, load, GET))] if gets else []
    parts += [(1.0, _work(profile, values, load, operation))] if operation != GET else []
    sizes = load.sizes(operation != GET)
    total = {name: sum(count * getattr(work, name) for count, work in parts) for name in _SUMMED}
    read_ns = profile.idle_latency_ns["load", "random"]
    waits = sum(count * (work.reads * work.walk_ns + work.rounds * work.round_ns) for count, work in parts)
    lines = np.maximum(sizes, float(CACHE_LINE_BYTES))
    moved = {"load": total["value_bytes"], "store_clwb": total["flushed"], "ntstore": total["streamed"]}
    return RequestAccesses(
        software_ns=total["software_ns"],
        reads=np.maximum(total["reads"] + waits / read_ns, LEAST_READS),
        writes=total["rounds"],
        transfers=tuple(Transfer(name, 1.0, piece, lines) for name, piece in moved.items() if piece.any()),
        extrapolated=bool(np.any(outside_counts(profile.access_profile, COUNTED_AS[operation], sizes))),
        written_lines=total["written_lines"],
    )


_SUMMED = ("software_ns", "reads", "rounds", "value_bytes", "flushed", "streamed", "written_lines")


def _work(profile: Profile, values: Mapping[str, float], load: ClassWorkload, operation: str) -> Work:
    samples = {name: np.asarray(values.get(twin_name(name), 0.0)) for name in STORE_PARAMETERS}
    copies = {name: np.asarray(values[name]) for name in ("get_copy_ns_per_byte", "put_copy_ns_per_byte")}
    point = StorePoint(
        operation=operation,
        threads=1,
        value_bytes=load.sizes(operation != GET),
        records=values["records"],
        key_bytes=float(KEY_BYTES),
        cores=int(values["cores"]),
        threads_per_core=int(values["threads_per_core"]),
        gets_per_update=load.gets_per_write,
    )
    return work_of(counts_of(profile, point), samples | copies)
