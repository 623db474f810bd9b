"""Values of a point outside the measured ranges, and these ranges in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.profile import Profile

Outside = Mapping[str, tuple[float, frozenset[tuple[float, float]]]]
"""Axis of a box -> the value of a point that lies outside there, and the ranges that were measured."""


def outside_axes(boxes: Iterable[Mapping], point: Mapping[str, float]) -> Outside:
    """Where a point lies outside boxes: the fewest axes that any box needs; empty inside one, or without any box.

    Args:
        boxes: axis -> (low, high), or a single value.
        point: axis -> value.
    """
    axes = [(box, [name for name, value in point.items() if not _within(value, *_ends(box[name]))]) for box in boxes]
    fewest = min((names for _, names in axes), key=len, default=[])
    near = [box for box, names in axes if names == fewest]
    return {name: (point[name], frozenset(_ends(box[name]) for box in near)) for name in fewest}


def outside_of(
    profile: Profile,
    operation: str,
    pattern: str,
    access_size_bytes: float,
    threads: float,
    dimms: float = FULL_SET_DIMMS,
    power_w: float = REFERENCE_POWER_W,
) -> Outside:
    """Values of a point outside the ranges on which the operation and pattern were fitted; empty if none is."""
    boxes = (box for box in profile.fitted_range[operation] if box["pattern"] == pattern)
    point = {"access_size_bytes": access_size_bytes, "threads": threads, "dimms": dimms, "power_w": power_w}
    return outside_axes(boxes, point)


def assumed_axes(profile: Profile) -> tuple[str, ...]:
    """Axes of which no measurement of a profile states a value."""
    return ("dimms",) if profile.record.get("dimms_assumed") else ()


def outside_text(points: Iterable[Outside], assumed: Collection[str] = ()) -> str:
    """Text on the values outside at any of `points`, such as `8 threads (measured: 1 to 4)`; empty if none is.

    Args:
        assumed: axes of which no measurement states a value.
    """
    values: dict[str, set[float]] = defaultdict(set)
    ranges: dict[str, set[tuple[float, float]]] = defaultdict(set)
    for point in points:
        for name, (value, measured) in point.items():
            values[name].add(value)
            ranges[name] |= measured
    named = ((name, numbers, "assumed" if name in assumed else "measured") for name, numbers in values.items())
    return " and ".join(
        f"{_shown(name, _span(min(numbers), max(numbers)), max(numbers))} "
        f"({basis}: {' or '.join(_span(*ends) for ends in _joined(ranges[name]))})"
        for name, numbers, basis in named
    )


_WORDS = {
    "access_size_bytes": ("accesses of {} byte", "accesses of {} bytes"),
    "threads": ("{} thread", "{} threads"),
    "dimms": ("{} DIMM", "{} DIMMs"),
    "power_w": ("a power budget of {} W",) * 2,
    "records": ("{} record", "{} records"),
    "value_bytes": ("values of {} byte", "values of {} bytes"),
    "key_bytes": ("keys of {} byte", "keys of {} bytes"),
    "cores": ("{} core", "{} cores"),
    "threads_per_core": ("{} thread per core", "{} threads per core"),
}


def _shown(name: str, value: str, last: float) -> str:
    one, several = _WORDS.get(name, (f"{name} {{}}",) * 2)
    return (one if last == 1 else several).format(value)


def _joined(ranges: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The ranges in order, those that overlap as one."""
    joined: list[tuple[float, float]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return joined


def _span(low: float, high: float) -> str:
    return f"{low:,.10g}" if low == high else f"{low:,.10g} to {high:,.10g}"


def _ends(bounds: float | Iterable[float]) -> tuple[float, float]:
    low, high = (bounds, bounds) if isinstance(bounds, int | float) else bounds
    return low, high


def _within(value: float, low: float, high: float) -> bool:
    return low <= value <= high
