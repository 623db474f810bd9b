"""What is possible on the measured requests of a workload or trace, for one fast and one slow device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pmtwin.scenarios.hybrid_storage import options as declared
from pmtwin.scenarios.hybrid_storage.system import requests_of, unmeasured_requests
from pmtwin.scenarios.hybrid_storage.yardsticks import Yardstick, optimum, optimum_charged, oracle_epoch
from pmtwin.sim.hybrid.options import CACHED, capacities
from pmtwin.sim.hybrid.stream import Paged

if TYPE_CHECKING:
    from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions

US = 1e-3
YARDSTICKS = dict(zip(declared.YARDSTICKS, (optimum, optimum_charged, oracle_epoch), strict=True))


class Part(NamedTuple):
    """Windows that a run measured in one context, from an empty storage on.

    Fields:
        conditions: name of a workload, or path of a trace. seed: of the requests; 0 for a trace.
        warmup: windows of the run before the first one that it shows. left_out: shown windows that do not count.
        windows: those that count. device: number of the sampled device.
    """

    conditions: str | Path
    seed: int
    warmup: int
    left_out: int
    windows: int
    device: int = 0

    def requests(self, options: HybridStorageOptions, count: int) -> tuple[int, int]:
        """(number of the first measured request of `count`, number of the one behind the last)."""
        window = options.requests_per_window
        first = max(unmeasured_requests(options, count), self.warmup * window) + self.left_out * window
        return first, first + self.windows * window


def measured_parts(plan: Any, run: int, system_seed: int) -> Iterator[tuple[Any, Part]]:
    """(context, measured part) for each block of a run's schedule, in its order.

    Args:
        plan: an `EvaluationPlan` of the scenario. run: number of the run. system_seed: of its system.
    """
    recorded, uncounted = plan.scenario.own_conditions, plan.warmup_windows
    for number, block in enumerate(plan.schedule_of(run)):
        left_out = min(uncounted, block.steps)
        uncounted -= left_out
        if left_out < block.steps:
            conditions, seed = (block.context, system_seed) if recorded is None else (recorded, 0)
            warmup = 0 if number else plan.scenario.warmup_windows
            device = plan.device_of(run) or 0
            yield block.context, Part(conditions, seed, warmup, left_out, block.steps - left_out, device)


def possible(options: HybridStorageOptions, part: Part) -> dict[str, Yardstick]:
    """Name -> yardstick; empty for more than two devices, or if the windows go beyond the last request."""
    options = options.of_device(part.device)
    requests = requests_of(options, part.conditions, part.seed)
    first, end = part.requests(options, len(requests.first))
    if len(options.storage.block_devices) != 2 or end > len(requests.first):
        return {}
    fast, slow = options.storage.block_devices
    capacity = capacities(options.storage, len(requests.home))[0]
    cached, until = options.storage.hdd_writes == CACHED, _until(requests, end)
    return {name: YARDSTICKS[name](until, fast, slow, capacity, first, cached) for name in yardsticks_of(options)}


def yardsticks_of(options: HybridStorageOptions) -> tuple[str, ...]:
    """Names of the yardsticks that the options ask for."""
    if declared.NO_YARDSTICK in options.yardsticks:
        return ()
    return tuple(name for name in YARDSTICKS if {name, declared.ALL} & set(options.yardsticks))


def row_of(yardstick: Yardstick) -> dict[str, Any]:
    """A yardstick in plain values."""
    return {
        "over_fast_only": float(yardstick.over_fast_only),
        "mean_us": float(yardstick.mean_ns) * US,
        "kind": yardstick.kind,
        "method": yardstick.method,
    }


def _until(requests: Paged, end: int) -> Paged:
    """The first requests, with the page numbers of all."""
    columns = {name: getattr(requests, name)[:end] for name in ("first", "pages", "missing_head", "missing_tail")}
    return requests._replace(stream=requests.stream.chosen(slice(end)), **columns)
