"""Use of a probe's result by `pmtwin calibrate`, determined by calibrate's own reader and plan."""

from __future__ import annotations

from pathlib import Path

from pmtwin.calibrate.disturbed import LEAST_KEPT, kept_share, kept_text
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.specification import MIN_CONFIGURATIONS
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.errors import InputError


def usable(path: Path) -> dict:
    """Rows and operations of a result that calibrate would use.

    Returns:
        `would_fit` (operations; empty if calibrate would fail), `too_few_configurations` (operation -> their number),
        `needed` (number of configurations that an operation needs), `usable_rows` (rows for bandwidth), `other_rows`
        (rows for latencies, mixes and effects), `dropped_rows` (reason -> number of rows), `kept_share` (share of rows
        that other work did not disturb), `kept` (the same as text; empty for all rows), `accepted` (whether calibrate
        accepts the share), `accept_disturbed` (rows and operations with that option).
    """
    further = _taken(path, ReadOptions(accept_disturbed=True))
    names = ("would_fit", "usable_rows", "other_rows", "dropped_rows")
    return _taken(path, ReadOptions()) | {"accept_disturbed": {name: further[name] for name in names}}


def _taken(path: Path, options: ReadOptions) -> dict:
    from pmtwin.calibrate.build import plan

    result = {"would_fit": [], "too_few_configurations": {}, "needed": MIN_CONFIGURATIONS}
    try:
        measurements, _ = read_sources([path], options)
    except InputError as error:
        lost = {"kept_share": 0.0, "kept": "", "accepted": True}
        return result | lost | {"usable_rows": 0, "other_rows": 0, "dropped_rows": {str(error): 0}}
    share = kept_share(measurements)
    result |= {"kept_share": round(share, 4), "kept": kept_text(measurements), "accepted": share >= LEAST_KEPT}
    result |= {"usable_rows": len(measurements), "other_rows": measurements.context.other_rows}
    result |= {"dropped_rows": dict(sorted(measurements.dropped.items()))}
    configurations, _ = group(measurements)
    try:
        fitted, few = plan(configurations)
    except InputError:
        counts = {name: int((configurations.operation == name).sum()) for name in OPERATIONS}
        return result | {"too_few_configurations": {name: count for name, count in counts.items() if count}}
    return result | {"would_fit": fitted, "too_few_configurations": few}
