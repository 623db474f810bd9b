"""Latencies and tail of a new profile: measured ones if the files have them, else published ones of the kind of memory.

Each value has its origin: "measured", "published" (for another device of the kind), "assumed" (from the profile that
the user names, or from another operation) or "not identified".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.context import Context, Latency, LoadedLatency
from pmtwin.calibrate.published import PUBLISHED
from pmtwin.sim.device.geometry import cache_lines
from pmtwin.sim.device.law import PATTERNS
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.numerics.statistics import t_half

NO_TAIL = Tail(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
MOST_LOADED = 0.98


@dataclass(frozen=True)
class DeviceLatencies:
    """Latencies and tail of a profile.

    Args:
        idle_ns: (operation, pattern) -> ns, of known latencies.
        queue_line_ns: operation -> ns, of known times.
        tail: all values are 0 if nothing is known.
        sources: name of a value -> {"origin", "source"}.
    """

    idle_ns: dict[tuple[str, str], float]
    queue_line_ns: dict[str, float]
    tail: Tail
    sources: dict[str, dict[str, str]]


def device_latencies(
    operations: Sequence[str], context: Context, further_line_ns: Mapping[str, float], like: Profile | None = None
) -> DeviceLatencies:
    """Latencies of the operations of a profile.

    Args:
        further_line_ns: operation -> issue time in ns of each line after the first, in the new profile.
        like: a profile that supplies the values that the files lack.
    """
    published = PUBLISHED.get(context.media)
    sources = dict(published.sources) if published and not like else {}
    idle = dict(published.idle_latency_ns) if published else {}
    queue = dict(published.queue_line_ns) if published else {}
    tail = published.tail if published else NO_TAIL
    if like:
        idle, queue, tail = dict(like.idle_latency_ns), dict(like.queue_line_ns), like.tail
        assumed = {"origin": "assumed", "source": f"as profile {like.name}"}
        sources |= {f"idle_latency_ns.{operation}": assumed for operation, _ in idle}
        sources |= dict.fromkeys(("queue_line_ns", "tail"), assumed)
    elif not published:
        source = "no stalls and no spread: the files have no data on them"
        sources["tail"] = {"origin": "not identified", "source": source}
    idle |= _with_unmeasured_writes(_measured_idle(context, further_line_ns, sources), sources)
    queue |= _measured_queue(operations, context, sources)
    for operation in operations:
        if not any((operation, pattern) in idle for pattern in PATTERNS):
            sources[f"idle_latency_ns.{operation}"] = {"origin": "not identified", "source": "not measured"}
        if operation not in queue:
            sources["queue_line_ns"] = {"origin": "not identified", "source": "no latency under load was measured"}
    return DeviceLatencies(
        idle_ns={key: value for key, value in idle.items() if key[0] in operations},
        queue_line_ns={name: queue[name] for name in operations if name in queue},
        tail=tail,
        sources={key: entry for key, entry in sources.items() if _concerns(key, operations)},
    )


def _concerns(key: str, operations: Sequence[str]) -> bool:
    return not key.startswith("idle_latency_ns.") or key.split(".")[1] in operations


def shortest_accesses(context: Context, operation: str, pattern: str) -> list[Latency]:
    """Latencies of the shortest measured accesses of an operation and pattern; empty if there are none."""
    rows = [row for row in context.latencies if (row.operation, row.pattern) == (operation, pattern)]
    shortest = min((row.access_size_bytes for row in rows), default=0.0)
    return [row for row in rows if row.access_size_bytes == shortest]


def first_line_ns(latency_ns: float, access_size_bytes: float, further_line_ns: float) -> float:
    """Latency in ns of an access's first line: without the issue time of further lines, and at least one line's share.

    The profile states idle latencies of one line; `predict` adds further lines.
    """
    lines = float(cache_lines(access_size_bytes))
    return max(latency_ns - (lines - 1.0) * further_line_ns, latency_ns / lines)


def _measured_idle(
    context: Context, further_line_ns: Mapping[str, float], sources: dict
) -> dict[tuple[str, str], float]:
    """Median latency of the shortest measured accesses of each operation and pattern, converted to one line."""
    idle = {}
    for key in sorted({(row.operation, row.pattern) for row in context.latencies}):
        shortest = shortest_accesses(context, *key)
        size, further_ns = shortest[0].access_size_bytes, further_line_ns.get(key[0], 0.0)
        median_ns = float(np.median([row.latency_ns for row in shortest]))
        idle[key] = first_line_ns(median_ns, size, further_ns)
        text = f"median of {len(shortest)} of one thread, {size:g} B, including the benchmark's clock"
        if idle[key] < median_ns:
            text = f"{text}: {median_ns:.1f} ns, less the lines after the first"
        entry: dict[str, object] = {"origin": "measured", "source": text}
        if interval := _interval_over_visits(shortest):
            visits = interval[0]
            low, high = (first_line_ns(end, size, further_ns) for end in interval[1:])
            entry |= {"source": f"{text}; 90 % interval over {visits} visits {low:.1f} to {high:.1f} ns"}
            entry |= {"interval_90": [low, high]}
        sources[f"idle_latency_ns.{'.'.join(key)}"] = entry
    return idle


def _with_unmeasured_writes(idle: dict[tuple[str, str], float], sources: dict) -> dict[tuple[str, str], float]:
    """The latencies, completed: a write's other pattern is assumed equal, and a cached store equal to a flushed one."""
    completed = dict(idle)
    for operation, as_operation in (("ntstore", "ntstore"), ("store_clwb", "store_clwb"), ("store", "store_clwb")):
        for pattern, other in (PATTERNS, PATTERNS[::-1]):
            source = next((key for key in ((as_operation, pattern), (as_operation, other)) if key in idle), None)
            if (operation, pattern) not in idle and source:
                completed[operation, pattern] = idle[source]
                assumed = {"origin": "assumed", "source": f"as measured of {' '.join(source)}"}
                sources[f"idle_latency_ns.{operation}.{pattern}"] = assumed
    return completed


def _interval_over_visits(latencies: Sequence[Latency]) -> tuple[int, float, float] | None:
    """(visits, low, high in ns) of a 90 % interval: Student's t over the logarithms of each visit's median.

    Repetitions within a visit agree better than visits do, so that only visits count. None for a single visit, or if
    the clock does not resolve the differences.
    """
    visits = sorted({row.visit for row in latencies} - {""})
    if len(visits) < 2:
        return None
    logs = np.log([np.median([row.latency_ns for row in latencies if row.visit == visit]) for visit in visits])
    if np.ptp(logs) == 0.0:
        return None  # less than the clock's resolution
    half = t_half(logs, 0.90)
    low, high = np.exp(logs.mean() + half * np.array([-1.0, 1.0])).tolist()
    return len(visits), low, high


def _measured_queue(operations: Sequence[str], context: Context, sources: dict) -> dict[str, float]:
    if len(context.loaded) < LEAST_LOADED:
        return {}
    line_ns, error = fit_queue_line(context.loaded)
    text = f"fitted to {len(context.loaded)} latencies under load, median error {error:.1f} %; one for all operations"
    sources["queue_line_ns"] = {"origin": "measured", "source": text}
    return dict.fromkeys(operations, line_ns)


LEAST_LOADED = 4
"""Smallest number of latencies under load that identify idle latency, line time and peak."""


def fit_queue_line(loaded: Sequence[LoadedLatency]) -> tuple[float, float]:
    """(time in ns by which a line delays those behind it, median error of the fit in %).

    The law of `pmtwin.sim.device.latency`, idle + t rho / (2 (1 - rho)) with rho = B / peak, is fitted in idle latency,
    t and peak.
    """
    from scipy.optimize import least_squares

    latency = np.array([row.latency_ns for row in loaded])
    bandwidth = np.array([row.bandwidth_mib_s for row in loaded])

    def misses(logs: np.ndarray) -> np.ndarray:
        idle, line, room = np.exp(logs)
        rho = np.minimum(bandwidth / (bandwidth.max() * (1.0 + room)), MOST_LOADED)
        return np.log((idle + line * rho / (2.0 * (1.0 - rho))) / latency)

    start = np.log((latency.min(), 0.2 * latency.min(), 0.1))
    solution = least_squares(misses, start, loss="soft_l1", f_scale=0.03)
    return float(np.exp(solution.x[1])), 100.0 * float(np.median(np.abs(np.expm1(misses(solution.x)))))
