"""Contents of measurement files other than the bandwidth of pure accesses: latencies, mixes, the kind of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table

DIMMS_ASSUMED = f"the number of DIMMs is not stated: {FULL_SET_DIMMS} assumed (--dimms N)"
"""Note of a reader whose file does not state the number of DIMMs."""


class AccessColumns(TypedDict):
    """Columns of a measured bandwidth, for any kind of access."""

    pattern: str
    access_size_bytes: float
    threads: float
    dimms: float
    bandwidth_mib_s: float


@dataclass(frozen=True)
class Latency:
    """Typical latency (median or mean) of one thread's single dependent accesses on an idle device, in ns.

    Args:
        visit: name of the visit in which it was measured, if there were several at different times; "": not known.
        place: file and line of the value, also in the classes below; "": not known.
    """

    operation: str
    pattern: str
    access_size_bytes: float
    latency_ns: float
    visit: str = ""
    place: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class LoadedLatency:
    """Latency of a dependent read in ns while others read `bandwidth_mib_s`."""

    latency_ns: float
    bandwidth_mib_s: float
    place: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Peak:
    """The most bandwidth that all threads of a machine together reach with sequential accesses, in MiB/s.

    Args:
        read_share: share of reads in the moved bytes: 1 for reads only; 0.5 for cached stores only, which read each
            line that they write.
        non_temporal: whether the writes bypass the cache.
        of_one_node: whether threads and memory are those of one NUMA node, rather than of the whole machine.
    """

    read_share: float
    non_temporal: bool
    bandwidth_mib_s: float
    of_one_node: bool = False
    place: str = field(default="", compare=False, repr=False)

    def per_node(self, nodes: int) -> Peak:
        """The share of one of `nodes` equal nodes."""
        if self.of_one_node:
            return self
        return replace(self, bandwidth_mib_s=self.bandwidth_mib_s / nodes, of_one_node=True)


@dataclass(frozen=True)
class Mix:
    """Total bandwidth while threads read and write at once.

    Args:
        access_size_bytes, pattern: of the reads, and of the writes unless stated below.
        write_ratio: share of writing threads or, with `by_access`, of writes among the accesses of each thread.
        write_access_size_bytes, write_pattern: of the writes, if they differ from the reads.
        read_mib_s, write_mib_s: bandwidth of each side, if it is known.
    """

    write_operation: str
    pattern: str
    access_size_bytes: float
    threads: float
    dimms: float
    write_ratio: float
    by_access: bool
    bandwidth_mib_s: float
    write_access_size_bytes: float | None = None
    write_pattern: str | None = None
    read_mib_s: float | None = None
    write_mib_s: float | None = None
    place: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Varied:
    """Total bandwidth of accesses that differ from the plain ones in one respect.

    Args:
        effect: name of `pmtwin.sim.device.effects.EFFECTS`.
        value: value in the effect's column.
    """

    operation: str
    pattern: str
    access_size_bytes: float
    threads: float
    dimms: float
    bandwidth_mib_s: float
    effect: str
    value: float
    place: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Context:
    """Contents of measurement files other than the bandwidth of pure accesses.

    Args:
        media: "pmem", "dram", another name that a file states, or "" if no file states it.
        latencies, loaded, mixes, varied, peaks: measurements of each kind.
        effect_tables: tables that also have measurements with effects (`pmtwin.calibrate.effects`).
        other_rows: rows that are used for these measurements only. both_rows: for these and for bandwidth.
        disturbed_rows: usable rows of a single thread that other work kept from its processor.
        notes: facts on the data that a reader of the profile must know, such as a fence after each access.
        fenced: whether each write is followed by a fence; None if no file states it.
        prefetchers: whether they were on; None if no file states it.
    """

    media: str = ""
    latencies: tuple[Latency, ...] = ()
    loaded: tuple[LoadedLatency, ...] = ()
    mixes: tuple[Mix, ...] = ()
    varied: tuple[Varied, ...] = ()
    effect_tables: tuple[Table, ...] = ()
    other_rows: int = 0
    both_rows: int = 0
    disturbed_rows: int = 0
    notes: tuple[str, ...] = ()
    peaks: tuple[Peak, ...] = ()
    fenced: bool | None = None
    prefetchers: bool | None = None

    @property
    def dimms_assumed(self) -> bool:
        """Whether neither a file nor the user stated the number of DIMMs of some measurement."""
        return DIMMS_ASSUMED in self.notes


def join_contexts(contexts: Sequence[Context]) -> Context:
    """The contents of all contexts.

    Raises:
        InputError: the contexts have different kinds of memory.
    """
    media = sorted({context.media for context in contexts} - {""})
    if len(media) > 1:
        raise InputError("sources", ", ".join(media), "one kind of memory in a profile")
    return Context(
        media=media[0] if media else "",
        latencies=tuple(latency for context in contexts for latency in context.latencies),
        loaded=tuple(latency for context in contexts for latency in context.loaded),
        mixes=tuple(mix for context in contexts for mix in context.mixes),
        varied=tuple(access for context in contexts for access in context.varied),
        effect_tables=tuple(table for context in contexts for table in context.effect_tables),
        other_rows=sum(context.other_rows for context in contexts),
        both_rows=sum(context.both_rows for context in contexts),
        disturbed_rows=sum(context.disturbed_rows for context in contexts),
        peaks=tuple(peak for context in contexts for peak in context.peaks),
        notes=tuple(dict.fromkeys(note for context in contexts for note in context.notes)),
        fenced=_agreed([context.fenced for context in contexts]),
        prefetchers=_agreed([context.prefetchers for context in contexts]),
    )


def _agreed(answers: Sequence[bool | None]) -> bool | None:
    """The common value of all known answers; None if they differ, or none is known."""
    distinct = {answer for answer in answers if answer is not None}
    return distinct.pop() if len(distinct) == 1 else None
