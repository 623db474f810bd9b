"""`pmtwin bench middleware`: the middleware with each queue against direct calls (`pmtwin-middleware-bench`)."""

from __future__ import annotations

import statistics
from typing import Any

from pmtwin.bench import Request, queues
from pmtwin.console.output import counted, message, print_table
from pmtwin.machine.native_programs import run_program
from pmtwin.sim.numerics.statistics import spread

IN_MEMORY = {"PMEM_IS_PMEM_FORCE": "1"}
"""Environment in which pmemkv does not flush a pool in /dev/shm by system calls, which have no use without a device."""

TARGET_US = 7.0
"""Wanted processor time of a hand-off, above direct calls, at pools (5, 5) with 200 clients on 2 cores."""

NOT_QUEUES = ("raw", "direct")
NOISY = 0.2
"""Spread of rounds, as a share of their median, above which a case counts as noisy."""


def measure(request: Request, group: str | None = None) -> dict:
    """Times of the middleware and of its engines without it, for all cases in turn, `repeats` times.

    Clients alternate between requests of both classes, so that all cases have the same mix. A cost above the wanted one
    is reported, and does not fail the command.

    Returns:
        `cases`: for each case medians of the samples, with minimum and maximum of the processor time; `batch_share`
        (share of requests); `noisy` (whether the processor time differs by more than `NOISY` between rounds); for a
        queue also `over_raw_cpu_us`, the processor time of a request minus that of direct calls of the engine by the
        same clients in the same round (median, min, max). `handoff`: the preferred queue at pools (5, 5) over pmemkv,
        or over the last engine without pmemkv; `target`: reached, not reached, or noisy, if rounds differ too much or
        lie on both sides of it. `queues`: from `pmtwin.bench.queues.compared`.

    Raises:
        InputError: if the directory cannot be used.
        MissingDependencyError: if the program was not built.
    """
    message(f"pmtwin bench middleware: {counted(request.repeats, 'round')} of about {64 * request.seconds:.0f} s")
    options = [f"--repeats={request.repeats}", f"--seconds={request.seconds}", *([f"--group={group}"] if group else [])]
    cases = run_program("pmtwin-middleware-bench", request.path, options, IN_MEMORY)["cases"]
    raw = {_place(case): case for case in cases if case["access"] == "raw"}
    summaries = [_summary(case, raw.get(_place(case))) for case in cases]
    handoffs = [case for case in summaries if case["group"] == "hand-off" and case["access"] not in NOT_QUEUES]
    last = [case for case in handoffs if case["engine"] == handoffs[-1]["engine"]]
    handoff = last[0] if last else None
    result: dict[str, Any] = {"cases": summaries, "handoff": handoff, "target_cpu_us": TARGET_US}
    result |= {"target": _verdict(handoff["over_raw_cpu_us"]) if handoff else None}
    result |= {"queues": queues.compared([_rounds(case) for case in cases if case["access"] not in NOT_QUEUES])}
    return {"seconds": request.seconds, "path": request.path} | result


def show(report: dict) -> None:
    """Print all cases, comparisons of the queues, and the cost of the preferred queue."""
    rows = []
    for case in report["cases"]:
        over = case.get("over_raw_cpu_us")
        numbers = (f"{case['cpu_us']['median']:.2f}", "" if over is None else f"{over['median']:.2f}")
        times = (f"{case['ops_per_s']}", f"{case['p50_us']:.1f}", f"{case['p99_us']:.1f}")
        place = (case[name] for name in ("group", "engine", "access", "workers", "clients"))
        rows.append((*place, *numbers, *times, "noisy" if case["noisy"] else ""))
    heads = ("group", "engine", "access", "workers", "clients", "CPU us", "over raw", "ops/s", "p50 us", "p99 us", "")
    print_table(rows, heads)
    queues.show(report["queues"])
    best = report["handoff"]
    if best is not None:
        median, low, high = (f"{best['over_raw_cpu_us'][name]:.2f}" for name in ("median", "min", "max"))
        print(
            f"pools (5, 5), 200 clients, {best['engine']}: {median} us ({low} to {high}) of processor time per request "
            f"over calling the store directly; at most {report['target_cpu_us']:g} wanted: {report['target']}"
        )


def _verdict(over: dict[str, float]) -> str:
    within = [over[name] <= TARGET_US for name in ("min", "max")]
    if _is_noisy(over) or len(set(within)) > 1:
        return "noisy"
    return "reached" if all(within) else "not reached"


def _is_noisy(values: dict[str, float]) -> bool:
    return values["max"] - values["min"] > NOISY * abs(values["median"])


def _rounds(case: dict) -> dict:
    measured = {"cpu": [_cpu_us(sample) if sample["requests"] else 0.0 for sample in case["samples"]]}
    return case | {"rounds": measured | {"p99": [sample["p99_us"] for sample in case["samples"]]}}


def _place(case: dict) -> tuple:
    """Key of the direct calls that a case is compared with."""
    return case["group"], case["engine"], case["workers"] if case["group"] == "workers" else None


def _cpu_us(sample: dict) -> float:
    return 1e6 * sample["cpu_s"] / max(sample["requests"], 1)


def _summary(case: dict, raw: dict | None) -> dict:
    samples = case["samples"]
    cpu = [_cpu_us(sample) for sample in samples]
    summary = {name: case[name] for name in ("group", "engine", "access", "workers", "clients")}
    summary |= {"cpu_us": _rounded(cpu), "noisy": _is_noisy(spread(cpu))}
    requests = sum(sample["requests"] for sample in samples)
    summary["batch_share"] = round(sum(sample["batch"] for sample in samples) / max(requests, 1), 3)
    summary["ops_per_s"] = round(statistics.median(sample["requests"] / sample["wall_s"] for sample in samples))
    for name in ("p50_us", "p99_us", "mean_us"):
        summary[name] = statistics.median(sample[name] for sample in samples)
    if raw is not None and case["access"] != "raw":
        over = [mine - _cpu_us(theirs) for mine, theirs in zip(cpu, raw["samples"], strict=True)]
        summary["over_raw_cpu_us"] = _rounded(over)
    return summary


def _rounded(values: list[float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in spread(values).items()}
