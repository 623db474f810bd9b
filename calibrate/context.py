"""Contents of measurement files beside the bandwidth of pure accesses: latencies, mixes, the kind of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table

DIMMS_ASSUMED = f"the number of DIMMs is not stated: {FULL_SET_DIMMS} assumed (--dimms N)"
"""A note of every reader whose file does not say how many."""


class AccessColumns(TypedDict):
    """Columns of a measured bandwidth, whatever accesses it is of."""

    pattern: str
    access_size_bytes: float
    threads: float
    dimms: float
    bandwidth_mib_s: float


@dataclass(frozen=True)
class Latency:
    """Typical latency (median or mean) of one thread's single dependent accesses on an idle device, in ns.

    A `place`, here and below, is the file and line of a value; values of one place are of one row. "" where the reader
    does not tell.

    Args:
        visit: at which it was measured, of several that lie apart in time; "" where nothing is known of that.
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
        read_share: of the bytes that are moved: 1 for reads alone. A cached store reads each line that it writes, so
            that stores alone have 0.5.
        non_temporal: whether the writes go past the cache.
        of_one_node: whether threads and memory are of one NUMA node; else of the whole machine.
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
        access_size_bytes, pattern: of the reads, and of writes that have none of their own.
        write_ratio: share of the threads that write, or of the accesses of each thread (`by_access`).
        write_access_size_bytes, write_pattern: of the writes, where they are unlike the reads.
        read_mib_s, write_mib_s: bandwidth of each side, where it is known.
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
        value: of the effect's column.
    """

    operation: str
    pattern: str
    access_size_bytes: float
    threads: float
    dimms: float
    bandwidth_mib_s: float
    effect: str
    value: float | bool
    place: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Context:
    """Args:
    media: "pmem", "dram", another name that the file gives, or "" where no file states it.
    latencies, loaded, mixes, varied, peaks: what was measured of each.
    effect_tables: tables of measurements with effects as well (`pmtwin.calibrate.effects`).
    other_rows: rows of the file that were of use for these only. both_rows: for these and for bandwidth.
    disturbed_rows: rows of use of a single thread that other work kept from its processor.
    notes: what a reader of the profile must know about the data, such as a fence after each access.
    fenced: whether each write has a fence behind it; None where no file states it.
    prefetchers: whether they were on; None where no file states it.
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
        """Whether the number of DIMMs of any measurement is none that a file or the user stated."""
        return DIMMS_ASSUMED in self.notes


def join_contexts(contexts: Sequence[Context]) -> Context:
    """All contexts together.

    Raises:
        InputError: they are of different kinds of memory.
    """
    media = sorted({context.media for context in contexts} - {""})
    if len(media) > 1:
        raise InputError("sources", ", ".join(media), "one kind of memory in a profile")
    return Context(
        media=media[0] if media else "",
        latencies=tuple(each for context in contexts for each in context.latencies),
        loaded=tuple(each for context in contexts for each in context.loaded),
        mixes=tuple(each for context in contexts for each in context.mixes),
        varied=tuple(each for context in contexts for each in context.varied),
        effect_tables=tuple(each for context in contexts for each in context.effect_tables),
        other_rows=sum(context.other_rows for context in contexts),
        both_rows=sum(context.both_rows for context in contexts),
        disturbed_rows=sum(context.disturbed_rows for context in contexts),
        peaks=tuple(each for context in contexts for each in context.peaks),
        notes=tuple(dict.fromkeys(note for context in contexts for note in context.notes)),
        fenced=_agreed([context.fenced for context in contexts]),
        prefetchers=_agreed([context.prefetchers for context in contexts]),
    )


def _agreed(answers: Sequence[bool | None]) -> bool | None:
    """The value that all known ones agree on; None where they differ, or none is known."""
    distinct = {answer for answer in answers if answer is not None}
    return distinct.pop() if len(distinct) == 1 else None
