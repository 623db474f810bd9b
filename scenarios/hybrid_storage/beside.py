"""What an evaluation on a trace shows beside the policies: yardsticks, and the share of a gap that each closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.scenarios.hybrid_storage.system import trace_requests, unmeasured_requests
from pmtwin.scenarios.hybrid_storage.yardsticks import Yardstick, optimum, optimum_charged, oracle_epoch
from pmtwin.sim.hybrid.options import capacities
from pmtwin.sim.hybrid.stream import Paged

US = 1e-3
REFERENCE = "write-lru"
"""Policy at which the gap to the optimum begins."""

YARDSTICKS = {"optimum": optimum, "optimum_charged": optimum_charged, "oracle_epoch": oracle_epoch}


def results_on_trace(options: Any, runs: Mapping[str, Sequence[Any]], warmup_windows: int) -> dict:
    """Entries of the result: `possible`; `optimum`, over Fast-Only; with `REFERENCE` also `gap_closed` by policy.

    Nothing for more than two devices, or if the windows go beyond the trace's end.

    Args:
        options: those of the scenario, with a trace.
        runs: policy -> its runs, with measure `mean_us` of each window.
        warmup_windows: windows of a run that the measures leave out.
    """
    requests = trace_requests(Path(options.trace), options.volumes)
    windows = len(next(iter(runs.values()))[0].measures["mean_us"])
    first = unmeasured_requests(options, len(requests.first)) + warmup_windows * options.requests_per_window
    end = first + windows * options.requests_per_window
    if len(options.storage.block_devices) != 2 or end > len(requests.first):
        return {}
    shown = _yardsticks(options, requests, first, end)
    rows = {name: _row(yardstick) for name, yardstick in shown.items()}
    means = {spec: float(np.mean([run.measures["mean_us"].mean() for run in own])) for spec, own in runs.items()}
    least, most = rows["optimum"]["mean_us"], means.get(REFERENCE)
    result = {"possible": rows, "optimum": rows["optimum"]["over_fast_only"]}
    if most is None or most <= least:
        return result
    return result | {"gap_closed": {spec: (most - mean) / (most - least) for spec, mean in means.items()}}


def _yardsticks(options: Any, requests: Paged, first: int, end: int) -> dict[str, Yardstick]:
    fast, slow = options.storage.block_devices
    capacity = capacities(options.storage, len(requests.home))[0]
    part = _until(requests, end)
    cached = options.storage.hdd_writes == "cached"
    return {name: yardstick(part, fast, slow, capacity, first, cached) for name, yardstick in YARDSTICKS.items()}


def _until(requests: Paged, end: int) -> Paged:
    """The first requests, with the page numbers of all."""
    columns = {name: getattr(requests, name)[:end] for name in ("first", "pages", "missing_head", "missing_tail")}
    return requests._replace(stream=requests.stream.chosen(slice(end)), **columns)


def _row(yardstick: Yardstick) -> dict:
    return {
        "over_fast_only": float(yardstick.over_fast_only),
        "mean_us": float(yardstick.mean_ns) * US,
        "kind": yardstick.kind,
        "method": yardstick.method,
    }
