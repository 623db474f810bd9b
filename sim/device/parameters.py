"""The physical parameters of the law: names, units, bounds, meaning; the same set for every operation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LawParameter:
    """A positive parameter of the law.

    Args:
        unit: "1" for a pure number.
        start: start value of a fit.
        low, high: bounds of a fit; a value on a bound is not identified.
        meaning: in one line.
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
    "line_pair_ns": LawParameter("ns", 5, 0.01, 300, "further time of a random access of exactly two cache lines"),
    "drain_ns": LawParameter("ns", 100, 0.1, 2000, "pipeline drain between long accesses"),
    "drain_random_bytes": LawParameter("B", 14e3, 500, 1e6, "random access size from which the pipeline drains"),
    "drain_sequential_bytes": LawParameter("B", 3e3, 200, 1e6, "sequential access size from which it drains"),
    "drain_exponent": LawParameter("1", 3, 0.5, 20, "how sharply the drain sets in with size"),
    "media_mib_s": LawParameter("MiB/s", 2300, 100, 25_000, "media bandwidth of one DIMM at 15 W"),
    "low_power_exponent": LawParameter("1", 2, 0.01, 6, "media bandwidth against power budget below 15 W"),
    "high_power_exponent": LawParameter("1", 1.3, 0.01, 6, "media bandwidth against power budget above 15 W"),
    "softness": LawParameter("1", 5, 1.5, 20, "exponent of the soft minimum of issue and media bound"),
    "queueing": LawParameter("1", 0.1, 1e-3, 2, "lengthening of an access by queueing when the media saturate"),
    "overlap_norm": LawParameter("1", 1.3, 0.3, 8, "exponent q in which media losses add up; 1 = no overlap"),
    "worst_amplification": LawParameter("1", 4, 1, 8, "amplification when the write-combining buffer thrashes"),
    "critical_streams_one_dimm": LawParameter("threads/DIMM", 10, 0.01, 200, "streams that half fill it, one DIMM"),
    "critical_streams_full_set": LawParameter("threads/DIMM", 6, 0.01, 200, "streams that half fill it, full set"),
    "stream_exponent": LawParameter("1", 3, 0.3, 12, "how sharply amplification rises with streams"),
    "partial_line_exponent": LawParameter("1", 0.5, 1e-3, 6, "how much fewer streams of partial media lines fill it"),
    "stream_power_exponent": LawParameter("1", 0.3, 1e-3, 5, "how much fewer streams fill the buffer of slower media"),
    "eviction_amplification": LawParameter("1", 1.8, 1, 4, "amplification of sequential lines that the cache evicts"),
    "scatter": LawParameter("1", 0.9, 1e-3, 1, "share of short random stores that eviction scatters"),
    "scatter_bytes": LawParameter("B", 65536, 256, 1e9, "access size at which half as many are scattered"),
    "scatter_exponent": LawParameter("1", 0.5, 0.05, 4, "how fast scattering falls with size"),
    "collision": LawParameter("1", 0.35, 5e-4, 3, "bandwidth lost to collisions of random 4 KiB accesses"),
    "collision_rise": LawParameter("1", 0.5, 0.05, 4, "exponent of the collisions below 4 KiB"),
    "collision_fall": LawParameter("1", 0.5, 0.05, 4, "exponent of the collisions above 4 KiB"),
    "convoy_ns": LawParameter("ns", 600, 0.1, 5000, "wait of a sequential 4 KiB access in a convoy of threads"),
    "convoy_threads": LawParameter("threads", 6, 1, 30, "threads from which convoys form"),
    "convoy_sharpness": LawParameter("1", 4, 0.5, 12, "how fast convoys vanish with other sizes"),
    "critical_threads_one_dimm": LawParameter("threads", 7, 1, 100, "onset of controller contention, one DIMM"),
    "critical_threads_full_set": LawParameter("threads", 20, 1, 200, "onset of controller contention, full set"),
    "contention_depth_one_dimm": LawParameter("1", 0.4, 1e-3, 20, "depth of contention at the onset, one DIMM"),
    "contention_depth_full_set": LawParameter("1", 0.3, 1e-3, 20, "depth of contention at the onset, full set"),
    "contention_bytes": LawParameter("B", 100, 0.1, 4000, "access size below which contention sets in later"),
    "contention_exponent": LawParameter("1", 6, 0.5, 30, "how sharply contention sets in"),
    "contention_power_exponent": LawParameter("1", 0.3, 1e-3, 5, "how much sooner slower media meet contention"),
    "contention_slope": LawParameter("1", 0.5, 0.01, 2, "decline with threads after the onset"),
}

SWITCHES: tuple[str, ...] = ("line_pair_ns", "drain_ns", "convoy_ns", "queueing", "scatter", "collision")
SWITCHES += ("contention_depth_one_dimm", "contention_depth_full_set")
"""Parameters that may be 0 in a profile, for an operation without this part of the law."""

MEDIA_LINE = "media_line_bytes"
"""Bytes that the media read and write at a time; not fitted. Only profiles of devices whose line has not the XPLine's
256 B (`pmtwin.sim.device.geometry.MEDIA_LINE_BYTES`) have it, such as DRAM with 64 B."""

READ_AHEAD = "read_ahead_lines"
"""Lines that the prefetchers request ahead of each line of a random load; not fitted. Only loads that were measured
with the prefetchers on have it (`pmtwin.sim.device.read_ahead`)."""

NEVER_FITTED = {MEDIA_LINE: "B", READ_AHEAD: "1"}
"""Parameters that not every profile has, with their units."""
