"""The values of a point that lie outside the measured ranges, and the ranges in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.profile import Profile

Outside = Mapping[str, tuple[float, frozenset[tuple[float, float]]]]
"""Axis on which a point lies outside -> (its value, measured ranges)."""


def outside_axes(boxes: Iterable[Mapping], point: Mapping[str, float]) -> Outside:
    """Axes on which a point lies outside the box for which they are fewest; empty inside a box, or without boxes.

    Args:
        boxes: each with axis -> (low, high) or a single value.
        point: axis -> value.
    """
    axes = [(box, [name for name, value in point.items() if not _within(value, *_ends(box[name]))]) for box in boxes]
    fewest = min((names for _, names in axes), key=len, default=[])
    nearest = [box for box, names in axes if names == fewest]
    return {name: (point[name], frozenset(_ends(box[name]) for box in nearest)) for name in fewest}


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
    """Axes whose values no measurement of the profile states."""
    return ("dimms",) if profile.record.get("dimms_assumed") else ()


def outside_text(points: Iterable[Outside], assumed: Collection[str] = ()) -> str:
    """Text on the values outside, such as `8 threads (measured: 1 to 4)`; empty if there are none.

    Args:
        points: results of `outside_axes`. assumed: axes whose values no measurement states.
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


def _shown(name: str, value: str, number: float) -> str:
    singular, plural = _WORDS.get(name, (f"{name} {{}}",) * 2)
    return (singular if number == 1 else plural).format(value)


def _joined(ranges: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The ranges in order, with overlapping ones joined."""
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
