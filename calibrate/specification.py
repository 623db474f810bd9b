"""Fitted parameters of the law by operation, start values of the fit, and parameters that are fixed.

Fixed values switch an effect off. A load does not use the write-combining buffer; a flushed store leaves the cache in
order; contention of stores at one DIMM appears as thrashing of the buffer.
"""

from __future__ import annotations

from pmtwin.sim.device.parameters import LAW_PARAMETERS

_NO_EVICTION = {"eviction_amplification": 1.0, "scatter": 0.0, "scatter_bytes": 65536.0, "scatter_exponent": 0.5}
_NO_CONVOY = {"convoy_ns": 0.0, "convoy_threads": 6.0, "convoy_sharpness": 4.0}
_NO_DRAIN = {"drain_ns": 0.0, "drain_random_bytes": 14e3, "drain_sequential_bytes": 3e3, "drain_exponent": 3.0}
_NO_PAIR = {"line_pair_ns": 0.0}
_NO_QUEUE = {"queueing": 0.0}
_NO_BUFFER = {
    "worst_amplification": 1.0,
    "critical_streams_one_dimm": 1.0,
    "critical_streams_full_set": 1.0,
    "stream_exponent": 1.0,
    "stream_power_exponent": 1.0,
    "partial_line_exponent": 1.0,
}
_NO_CONTENTION_AT_ONE_DIMM = {"contention_depth_one_dimm": 1e-3, "critical_threads_one_dimm": 10.0}
_NO_CONTENTION = {
    "contention_depth_one_dimm": 0.0,
    "contention_depth_full_set": 0.0,
    "critical_threads_one_dimm": 10.0,
    "critical_threads_full_set": 20.0,
    "contention_bytes": 1.0,
    "contention_exponent": 6.0,
    "contention_slope": 0.01,
    "contention_power_exponent": 0.01,
}

FIXED: dict[str, dict[str, float]] = {
    "load": {**_NO_BUFFER, **_NO_EVICTION},
    "ntstore": {
        **_NO_EVICTION,
        **_NO_CONVOY,
        **_NO_DRAIN,
        **_NO_PAIR,
        **_NO_QUEUE,
        **_NO_CONTENTION_AT_ONE_DIMM,
        "contention_slope": 0.01,
    },
    "store_clwb": {**_NO_EVICTION, **_NO_CONVOY, **_NO_DRAIN, **_NO_PAIR, **_NO_QUEUE, **_NO_CONTENTION},
    "store": {**_NO_CONVOY, **_NO_CONTENTION},
}

_STORE_LINE = {"first_line_random_ns": 41.0, "first_line_sequential_ns": 41.0, "further_line_ns": 41.0}
_CLWB_LINE = {"first_line_random_ns": 54.0, "first_line_sequential_ns": 54.0, "further_line_ns": 54.0}

STARTS: dict[str, dict[str, float]] = {
    "load": {
        "first_line_random_ns": 34.0,
        "first_line_sequential_ns": 24.0,
        "further_line_ns": 19.0,
        "drain_ns": 340.0,
        "drain_exponent": 6.0,
        "media_mib_s": 6700.0,
        "contention_exponent": 12.0,
    },
    "ntstore": {},
    "store_clwb": {**_CLWB_LINE, "media_mib_s": 2100.0},
    "store": {
        **_STORE_LINE,
        "critical_streams_one_dimm": 1.2,
        "critical_streams_full_set": 1.0,
        "stream_exponent": 4.0,
    },
}

POWER_PARAMETERS = (
    "low_power_exponent",
    "high_power_exponent",
    "stream_power_exponent",
    "contention_power_exponent",
)

DEFAULT_BOOTSTRAP = 120
"""Default number of replicates: several times the number of an operation's parameters (28 at most), as their
correlations need."""

UNNAMED = "not stated"
"""Device of a profile that was calibrated without --device."""

MIN_CONFIGURATIONS = 8
"""Smallest number of configurations of an operation for a fit."""


def start_values(operation: str) -> dict[str, float]:
    """Start values of an operation's fit, for every parameter of the law; fixed ones have their fixed values."""
    defaults = {name: parameter.start for name, parameter in LAW_PARAMETERS.items()}
    return defaults | STARTS[operation] | FIXED[operation]


def free_names(operation: str, power_varies: bool) -> list[str]:
    """Parameters that are fitted; those of the power budget only if the data vary it."""
    fixed = set(FIXED[operation]) | (set() if power_varies else set(POWER_PARAMETERS))
    return [name for name in LAW_PARAMETERS if name not in fixed]
