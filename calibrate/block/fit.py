"""A block device from runs of fio: each parameter from the runs that show it alone.

| parameter | from |
|---|---|
| bandwidth | the fastest run of the kind |
| latency | shortest random accesses, one at a time, without their transfer |
| accesses/s | the fastest random run of the shortest accesses |
| seek | where single random reads take over a millisecond longer than sequential ones: the difference |
| writes that the device's memory takes | on a device with seeks, single random writes that take less than a seek |

All other runs are predicted, and so are the checks of the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmtwin.calibrate.block.runs import BlockRun
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import US, BlockDevice

SEEK_NS = 1e6
"""Difference between random and sequential single reads from which a device has seeks: no flash has as much."""

MOST_SHORT = 8192
"""Largest access whose rate is one of accesses, not of bytes."""


class Checked(NamedTuple):
    """A run beside the model.

    Fields:
        run: as measured.
        sets: parameter that it set; empty: predicted.
        latency_error, rate_error: model over measurement, less 1; the latency of single accesses only, else None.
    """

    run: BlockRun
    sets: str
    latency_error: float | None
    rate_error: float


def fit_block_device(runs: Sequence[BlockRun], name: str, capacity_gb: float) -> tuple[BlockDevice, list[Checked]]:
    """(the device, each run beside it).

    Raises:
        InputError: naming the kind of run that is missing.
    """
    values: dict[str, float] = {}
    sets: dict[int, list[str]] = {}

    def chosen(run: BlockRun, parameter: str) -> BlockRun:
        sets.setdefault(id(run), []).append(parameter)
        return run

    singles = {kind: _single(runs, kind) for kind in ("read", "write")}
    for kind in ("read", "write"):
        of_kind = [run for run in runs if run.write == (kind == "write")]
        fastest = chosen(max(of_kind, key=lambda run: run.bandwidth), f"{kind}_gb_s")
        single = chosen(singles[kind], f"{kind}_us")
        values[f"{kind}_gb_s"] = fastest.bandwidth
        values[f"{kind}_us"] = max(single.latency_ns - single.size / fastest.bandwidth, 0.0) / US
        deep = [run for run in of_kind if not run.sequential and run.size <= MOST_SHORT and run.depth > 1]
        if deep:
            shortest = min(run.size for run in deep)
            rate = chosen(max((run for run in deep if run.size == shortest), key=lambda run: run.rate), f"{kind}_iops")
            values[f"{kind}_iops"] = rate.rate * 1e9
    values |= _seek(runs, singles, values, chosen)
    device = BlockDevice(name=name, capacity_gb=capacity_gb, **values)  # type: ignore[arg-type]  # floats by name
    return device, [_checked(run, ", ".join(sets.get(id(run), [])), device) for run in runs]


def _single(runs: Sequence[BlockRun], kind: str, sequential: bool = False) -> BlockRun:
    """The run of the shortest accesses, one at a time."""
    singles = [run for run in runs if run.write == (kind == "write") and run.depth == 1]
    if not (singles := [run for run in singles if run.sequential == sequential]):
        allowed = (
            f"a run of {'sequential' if sequential else 'random'} {kind}s with iodepth=1; --job prints the job file"
        )
        raise InputError(f"{'' if sequential else 'rand'}{kind}", None, allowed)
    return min(singles, key=lambda run: run.size)


def _seek(runs, singles, values, chosen) -> dict[str, float]:
    """Latencies of a device with seeks; nothing for another one."""
    alike = [run for run in runs if run.sequential and run.depth == 1 and not run.write]
    alike = [run for run in alike if run.size == singles["read"].size]
    if not alike or singles["read"].latency_ns - alike[0].latency_ns < SEEK_NS:
        return {}
    transfer = alike[0].size / values["read_gb_s"]
    read_us = max(chosen(alike[0], "read_us").latency_ns - transfer, 0.0) / US
    seek_us = (singles["read"].latency_ns - transfer) / US - read_us
    if values["write_us"] < seek_us:
        return {"read_us": read_us, "seek_us": seek_us, "write_us": read_us, "cached_write_us": values["write_us"]}
    return {"read_us": read_us, "seek_us": seek_us, "write_us": values["write_us"] - seek_us}


def _checked(run: BlockRun, sets: str, device: BlockDevice) -> Checked:
    latency = device.latency_ns(run.write, run.sequential)
    transfer = device.transfer_ns(run.write, run.size)
    rate = min(run.depth / (latency + transfer), 1.0 / transfer)
    if latency:
        rate = min(rate, device.servers(run.write) / latency)
    alone = round((latency + transfer) / run.latency_ns - 1.0, 9) if run.depth == 1 else None
    return Checked(run, sets, alone, round(rate / run.rate - 1.0, 9))
