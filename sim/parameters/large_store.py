"""Parameters of a key-value store that is larger than the caches: inferred from measured operations."""

from __future__ import annotations

from pmtwin.sim.parameters.host import HOST
from pmtwin.sim.parameters.parameter import Parameter
from pmtwin.sim.parameters.store import STORE
from pmtwin.sim.parameters.store_law import IN_TWIN, SHARED_WITH_TWIN, STORE_PARAMETERS, twin_name

_SOURCE = "inferred from measured operations (pmtwin calibrate --store): sim/stores/pmemkv-cmap.json has joint samples"

_MEDIANS = {
    "cold_software_ns": 2_250, "insert_software_ns": 10_150, "cold_line_share": 0.49, "extra_reads": 6.2,
    "small_page_share": 0.37, "round_ns": 55, "written_lines_factor": 1.16, "evicted_lines": 2.2, "insert_lines": 3.4,
    "lock_growth": 0.0037, "clock_drop": 0.21, "remove_share": 0.7, "record_overhead_bytes": 265,
    "cache_bytes_per_core": 2_550_000, "page_walk_ns": 91,
}  # fmt: skip
"""Medians of the shipped store's posterior beside the default profile."""

_REPLACED = ", ".join(parameter.name for parameter in (*STORE, *HOST) if parameter.with_records is False)

LARGE_STORE = (
    Parameter(
        "records",
        0,
        0,
        1e12,
        "records",
        "measured",
        "0: the store whose accesses were counted, which the caches hold",
        f"Records in the store; above 0, the parameters kv_... have effect instead of {_REPLACED}. With a profile "
        "without counted accesses, the value has no effect.",
        least_above_zero=1,
    ),
    *(
        Parameter(
            twin_name(name),
            _MEDIANS[name],
            STORE_PARAMETERS[name].low,
            STORE_PARAMETERS[name].high,
            "ns" if name.endswith("_ns") else "",
            "inferred",
            _SOURCE,
            f"With records above 0: {STORE_PARAMETERS[name].meaning}",
            with_records=True,
        )
        for name in IN_TWIN
        if name not in SHARED_WITH_TWIN
    ),
)
