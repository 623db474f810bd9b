"""The physical parameters of the law: names, units, bounds, meaning; the same set for every operation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LawParameter:
    """One positive parameter of the law.

    Args:
        unit: "1" for a pure number.
        start: where a fit starts.
        low, high: bounds of a fit; a value on a bound is not identified.
        meaning: one line.
    """

    unit: str
    start: float
    low: float
    high: float
    meaning: str


LAW_PARAMETERS: dict[str, LawParameter] = {
    "first_line_random_ns": LawParameter("ns", 20, 1, 500, "issue time of the first cache line of a random access"),
    "first_line_sequential_ns": LawParameter("ns", 15, 1, 500, "the same of a sequential access"),
    "further_line_ns": LawParameter("ns", 14, 1, 300, "issue time of each further cache line"),
    "drain_ns": LawParameter("ns", 100, 0.1, 2000, "pipeline drain between long accesses"),
    "drain_random_bytes": LawParameter("B", 14e3, 500, 1e6, "random access size from which the pipeline drains"),
    "drain_sequential_bytes": LawParameter("B", 3e3, 200, 1e6, "sequential access size from which it drains"),
    "drain_exponent": LawParameter("1", 3, 0.5, 10, "how sharply the drain sets in with size"),
    "media_mib_s": LawParameter("MiB/s", 2300, 100, 10_000, "media bandwidth of one DIMM at 15 W"),
    "low_power_exponent": LawParameter("1", 2, 0.01, 6, "media bandwidth against power budget below 15 W"),
    "high_power_exponent": LawParameter("1", 1.3, 0.01, 6, "media bandwidth against power budget above 15 W"),
    "softness": LawParameter("1", 5, 1.5, 20, "exponent of the soft minimum of issue and media bound"),
    "worst_amplification": LawParameter("1", 4, 1, 8, "amplification when the write-combining buffer thrashes"),
    "critical_streams_one_dimm": LawParameter("threads/DIMM", 10, 0.01, 200, "streams that half fill it, one DIMM"),
    "critical_streams_full_set": LawParameter("threads/DIMM", 6, 0.01, 200, "streams that half fill it, full set"),
    "stream_exponent": LawParameter("1", 3, 0.3, 12, "how sharply amplification rises with streams"),
    "scatter": LawParameter("1", 0.01, 1e-4, 8, "further amplification of cached stores by scattered eviction"),
    "scatter_bytes": LawParameter("B", 65536, 256, 1e8, "access size at which eviction scatters less"),
    "collision": LawParameter("1", 0.35, 5e-4, 3, "bandwidth lost to collisions of random 4 KiB accesses"),
    "collision_rise": LawParameter("1", 0.5, 0.05, 4, "exponent of the collisions below 4 KiB"),
    "collision_fall": LawParameter("1", 0.5, 0.05, 4, "exponent of the collisions above 4 KiB"),
    "convoy": LawParameter("1", 0.3, 5e-4, 3, "bandwidth lost to convoys of sequential 4 KiB accesses"),
    "convoy_threads": LawParameter("threads", 7, 1, 30, "threads from which convoys form"),
    "critical_threads_one_dimm": LawParameter("threads", 7, 1, 100, "onset of controller contention, one DIMM"),
    "critical_threads_full_set": LawParameter("threads", 20, 1, 200, "onset of controller contention, full set"),
    "contention_depth_one_dimm": LawParameter("1", 0.4, 1e-3, 20, "depth of contention at the onset, one DIMM"),
    "contention_depth_full_set": LawParameter("1", 0.3, 1e-3, 20, "depth of contention at the onset, full set"),
    "contention_bytes": LawParameter("B", 100, 0.1, 4000, "access size below which contention sets in later"),
    "contention_exponent": LawParameter("1", 6, 0.5, 30, "how sharply contention sets in"),
    "contention_slope": LawParameter("1", 0.5, 0.01, 2, "decline with threads after the onset"),
}
