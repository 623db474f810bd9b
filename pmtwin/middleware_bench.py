"""What `pmtwin bench middleware` and `pmtwin bench durability` do: they run the native programs and sum up.

The programs are `build/native/pmtwin-middleware-bench` and `pmtwin-middleware-durability`.
"""

from __future__ import annotations

import statistics

from pmtwin.kv_bench import run_program
from sim.errors import CheckFailedError

IN_MEMORY = {"PMEM_IS_PMEM_FORCE": "1"}
"""Without it pmemkv flushes a pool in /dev/shm by a system call; there is no device below that could lose anything."""

TARGET_US = 7.0
"""Wanted: processor time of a hand-off at pools (5, 5) with 200 clients on 2 cores, over direct calls."""

NOT_QUEUES = ("raw", "direct")


def measure(directory: str, repeats: int, seconds: float, group: str | None = None) -> dict:
    """Times of the middleware and of its engines without it, every case in turn, `repeats` times.

    Returns:
        `cases`: of each the samples' medians, with least and most of the processor time; for a queue also
        `over_raw_cpu_us`, the processor time of a request over that of the engine called by the same clients themselves
        in the same round (median, min, max); `handoff`: the preferred queue at pools (5, 5) over pmemkv, or the last
        engine there is.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: the program was not built.
    """
    options = [f"--repeats={repeats}", f"--seconds={seconds}", *([f"--group={group}"] if group else [])]
    cases = run_program("pmtwin-middleware-bench", directory, options, IN_MEMORY)["cases"]
    raw = {_place(case): case for case in cases if case["access"] == "raw"}
    summed = [_summary(case, raw.get(_place(case))) for case in cases]
    handoffs = [case for case in summed if case["group"] == "hand-off" and case["access"] not in NOT_QUEUES]
    last = [case for case in handoffs if case["engine"] == handoffs[-1]["engine"]]
    return {"cases": summed, "handoff": last[0] if last else None, "target_cpu_us": TARGET_US}


def durability(directory: str, rounds: int, seed: int) -> dict:
    """Kills a process under load `rounds` times, and as often during the creation of a pool.

    Returns:
        `under_load` and `during_creation` as counts; nothing is `lost`, `torn`, `unusable` or left over.

    Raises:
        CheckFailedError: something is.
        InputError: the directory cannot be used.
        MissingDependencyError: the program was not built.
    """
    options = [f"--rounds={rounds}", f"--seed={seed}"]
    found = run_program("pmtwin-middleware-durability", directory, options, IN_MEMORY)
    load, creation = found["under_load"], found["during_creation"]
    bad = {name: load[name] for name in ("lost", "torn") if load[name]}
    bad |= {name: creation[name] for name in ("unusable", "leftovers") if creation[name]}
    if bad:
        raise CheckFailedError(f"after kill -9: {', '.join(f'{count} {name}' for name, count in bad.items())}")
    return found


def _place(case: dict) -> tuple:
    """What a case shares with the raw calls that it is set beside."""
    return case["group"], case["engine"], case["workers"] if case["group"] == "workers" else None


def _cpu_us(sample: dict) -> float:
    return 1e6 * sample["cpu_s"] / max(sample["requests"], 1)


def _summary(case: dict, raw: dict | None) -> dict:
    samples = case["samples"]
    cpu = [_cpu_us(sample) for sample in samples]
    summary = {name: case[name] for name in ("group", "engine", "access", "workers", "clients")}
    summary |= {"cpu_us": _spread(cpu)}
    summary["ops_per_s"] = round(statistics.median(sample["requests"] / sample["wall_s"] for sample in samples))
    for name in ("p50_us", "p99_us", "mean_us"):
        summary[name] = statistics.median(sample[name] for sample in samples)
    if raw is not None and case["access"] != "raw":
        over = [mine - _cpu_us(theirs) for mine, theirs in zip(cpu, raw["samples"], strict=True)]
        summary["over_raw_cpu_us"] = _spread(over)
    return summary


def _spread(values: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 3),
        "min": round(min(values), 3),
        "max": round(max(values), 3),
    }
