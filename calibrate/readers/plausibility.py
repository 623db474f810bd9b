"""A check of all contents after the reader of a file: values that no memory has are dropped and counted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.measurements import Dropped, Measurements
from pmtwin.calibrate.readers.cleaning import (
    CACHED,
    MOST_IN_ANOTHER_UNIT,
    QUANTISED,
    TOO_SLOW,
    bandwidth_fault,
    peak_fault,
    value_fault,
)
from pmtwin.sim.device.geometry import MOST_DIMMS
from pmtwin.sim.errors import InputError

VALUES = ("latencies", "loaded", "peaks", "mixes", "varied")
"""Contents beside the bandwidths of pure accesses, by their names in `pmtwin.calibrate.context.Context`."""

FEWEST = 2
"""Number of rows outside the range of memories from which the unit is in doubt; a single row went wrong."""

MOST_CACHED = 0.5
"""Largest share of rows with a bandwidth above that of the memory channels, as caches serve them."""


def plausible(measurements: Measurements, media: str, dimms: int | None) -> Measurements:
    """The measurements without the values that no memory of the kind has, each counted with its reason.

    Args:
        media: kind of memory, "" where unknown.
        dimms: number of modules, for values that do not state it; None: as many as a socket may have.
    """
    count = Dropped(measurements.dropped)
    context, keep, faults = measurements.context, np.ones(len(measurements), dtype=bool), []
    for row in range(len(measurements)):
        columns = (measurements.bandwidth_mib_s, measurements.access_size_bytes, measurements.dimms)
        bandwidth, size, modules = (float(column[row]) for column in columns)
        if fault := bandwidth_fault(bandwidth, size, modules, media, str(measurements.operation[row])):
            keep[row] = False
            faults.append((fault, str(measurements.place[row])))
    kept = measurements.take(keep)
    contents: dict[str, tuple] = dict.fromkeys(VALUES, ())
    lost, dimms = 0, dimms or MOST_DIMMS
    most = max((each.bandwidth_mib_s for each in context.loaded), default=None)
    of_load = peak_fault(most, media, dimms) if most is not None else ""  # of one series: its end tells of it all
    for name in VALUES:
        for value in getattr(context, name):
            if fault := value_fault(value, media, dimms) or (of_load if name == "loaded" else ""):
                faults.append((fault, value.place))
                lost += not value.place
            else:
                contents[name] += (value,)
    used = {str(place) for place in kept.place} - {""}
    beside = {value.place for values in contents.values() for value in values} - {""}
    partly = _count(faults, used | beside, count)
    context = replace(
        context,
        latencies=contents["latencies"],
        loaded=contents["loaded"],
        peaks=contents["peaks"],
        mixes=contents["mixes"],
        varied=contents["varied"],
        other_rows=context.other_rows - lost + len(beside - used),
        both_rows=context.both_rows + len(beside & used),
        notes=(*context.notes, *partly),
    )
    return replace(kept, dropped=count, context=context)


def _count(faults: Iterable[tuple[str, str]], used: set[str], count: Dropped) -> list[str]:
    """Count each row without a usable value once; returns notes on dropped values of rows that are used otherwise."""
    partly = Dropped()
    counted: set[str] = set()
    for reason, place in faults:
        if place in used:
            partly.count(reason, place)
        elif not place or place not in counted:
            counted.add(place)
            count.count(reason, place)
    return [
        f"left out of rows that are used otherwise: {number} of {reason} ({places_text(partly.places[reason])})"
        for reason, number in partly.items()
    ]


def check_unit_of_table(measurements: Measurements, where: str) -> None:
    """Refuse a table in which many rows are too slow or too fast for a memory: it has another unit, or several.

    The unit of a table is known by the name of a column only.
    """
    dropped = measurements.dropped
    slow, fast = dropped[TOO_SLOW] + dropped[QUANTISED], dropped[CACHED]
    considered = len(measurements) + len(measurements.context.mixes) + len(measurements.context.varied) + slow + fast
    for wrong, share, units in (
        (slow, MOST_IN_ANOTHER_UNIT, "below that of any memory: GiB/s or GB/s?"),
        (fast, MOST_CACHED, "above what the memory channels carry: KiB/s or bytes/s, or served by a cache?"),
    ):
        if wrong >= FEWEST and wrong > share * considered:
            places = [place for reason in (TOO_SLOW, QUANTISED, CACHED) for place in _places(dropped, reason)]
            example = f", such as {places_text(places, 1)}" if places else ""
            allowed = "MiB/s of all threads together in every row; convert the rows of another unit, remove cached ones"
            raise InputError("bandwidths", f"{wrong} of {considered}{example}", allowed, where, f"are {units}")


def _places(dropped: Dropped, reason: str) -> list[str]:
    return dropped.places.get(reason, [])


MOST_SHOWN = 6


def places_text(places: Sequence[str], most: int = MOST_SHOWN) -> str:
    """Lines of one or more files in short, `mlc.txt:6, 12-15 and 20 more`; "-" where places are no lines."""
    lines = sorted((file, int(line)) for file, _, line in (place.rpartition(":") for place in places) if line.isdigit())
    runs: list[list] = []  # file, first and last line
    for file, line in lines:
        if runs and runs[-1][0] == file and runs[-1][2] + 1 == line:
            runs[-1][2] = line
        else:
            runs.append([file, line, line])
    texts, last = [], ""
    for file, first, end in runs[:most]:
        span = f"{first}" if first == end else f"{first}-{end}"
        texts.append(span if file == last else f"{os.path.basename(file)}:{span}")
        last = file
    left = len(lines) - sum(end - first + 1 for _, first, end in runs[:most])
    return ", ".join(texts) + (f" and {left} more" if left else "") or "-"
