"""What `pmtwin bench kv` does: counts and times of key-value operations, and how well a model predicts them.

The programs are `build/native/pmtwin-kv-count` and `pmtwin-kv-time`. The memory is measured, calibrated and joined with
the counts to a profile; the model of `calibrate.kv_times` is fitted to some value sizes and thread counts, and predicts
the others with other thread counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from sim.access_profile import KEY_BYTES
from sim.errors import InputError, MissingDependencyError

NATIVE = Path(__file__).parents[1] / "build" / "native"
FIT_SIZES = (64, 512, 4096, 32768, 262144)
UNSEEN_SIZES = (128, 256, 1024, 2048, 8192, 16384, 65536, 131072, 524288)
FIT_THREADS = (1, 3)
UNSEEN_THREADS = (2, 4)
HOT_MIB = 16
LAST_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")  # not sysconf: it adds up what a guest cannot use
LEAST_COLD_MIB = 128
TIMES_LAST_CACHE = 4
"""A store of which most is in no cache has so many times the size of the last of them, at least the number above."""

NO_FLUSHES = {"PMEM_NO_FLUSH": "1", "PMEM_NO_MOVNT": "1"}
WANTED_MEDIAN_PERCENT = 10.0
ORDER_SEED = 1
REPLICATES = 4
"""Of the memory's calibration: enough for the residual by which the simulator's bandwidths are corrected."""

COUNTED_SIZES = (0, 64, 512, 1024, 2048, 4096, 16384)
COUNTED_UNTRACED_SIZES = (32768, 65536, 262144)
"""Counts are linear between these and beyond; from 32 KiB on an undo log has many pieces. Tracing takes long there."""


def program(name: str) -> Path:
    """Path of a native program.

    Raises:
        MissingDependencyError: it was not built.
    """
    path = NATIVE / name
    if not os.access(path, os.X_OK):
        raise MissingDependencyError(
            f"{name} is not built: `make build` builds it where a C++ compiler, CMake, Google Benchmark "
            "(Debian: libbenchmark-dev), nlohmann-json and pmemkv (scripts/fetch-pmemkv) are installed"
        )
    return path


def run_program(name: str, directory: str, options: list[str], environment: dict[str, str] | None = None) -> dict:
    """What a program printed, parsed. However this ends, the program has ended too, and removed its pool.

    Raises:
        InputError: the program refuses the directory.
        MissingDependencyError: it was not built.
    """
    command = [str(program(name)), f"--path={directory}", *options]
    with tempfile.TemporaryFile("w+") as errors:
        environment = os.environ | (environment or {})
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment) as running:
            try:
                printed = running.communicate()[0]
            except BaseException:
                running.terminate()
                raise
        errors.seek(0)
        message = errors.read().strip().splitlines()
    if running.returncode == 2:
        raise InputError("--path", directory, message[-1].removeprefix(f"{name}: ") if message else "another directory")
    if running.returncode != 0:
        raise RuntimeError(f"{name} ended with {running.returncode}: {' '.join(message[-3:])}")
    return json.loads(printed)


def count(directory: str, sizes: tuple[int, ...], key_bytes: int = KEY_BYTES, traced: int = 4) -> dict:
    """Counts of get, put and insert at value `sizes`, of which `traced` operations of each are traced."""
    options = [f"--values={_listed(sizes)}", f"--keys={key_bytes}", "--steps=0", f"--traced={traced}"]
    return run_program("pmtwin-kv-count", directory, options)


def count_for_bench(directory: str) -> dict:
    """Counts at the sizes that `pmtwin bench kv` needs; a minute."""
    traced, more = count(directory, COUNTED_SIZES), count(directory, COUNTED_UNTRACED_SIZES, traced=0)
    return traced | {"cases": traced["cases"] + more["cases"]}


def measure(directory: str, rounds: int, seconds: float, progress: Callable[[], object]) -> tuple[dict, dict]:
    """(times of gets and puts and of the memory beneath, times without flushes and with memory in the caches).

    Each round measures everything once, in a store of its own, and takes the sizes in an order by chance: pages that
    happen to lie badly, and the ten seconds or so in which somebody else has the memory, are then one sample among
    several, and meet other sizes in every round.
    """
    cold = [f"--threads={_listed(FIT_THREADS + UNSEEN_THREADS)}", f"--total_mib={_cold_mib()}"]
    cold += ["--benchmark_filter=cold|memory", *_common(seconds)]
    found: list[list[dict]] = [[], []]
    order, sizes = Random(ORDER_SEED), list(FIT_SIZES + UNSEEN_SIZES)
    for _ in range(rounds):
        order.shuffle(sizes)
        found[0].append(run_program("pmtwin-kv-time", directory, [f"--values={','.join(map(str, sizes))}", *cold]))
        found[1].append(measure_hot(directory, FIT_SIZES, FIT_THREADS, 1, seconds))
        progress()
    return _joined(found[0]), _joined(found[1])


def measure_hot(
    directory: str,
    sizes: tuple[int, ...],
    threads: tuple[int, ...],
    rounds: int,
    seconds: float,
    progress: Callable[[], object] = lambda: None,
    key_bytes: int = KEY_BYTES,
) -> dict:
    """Times without flushes and with memory in the caches: the software's own."""
    options = [f"--values={_listed(sizes)}", f"--threads={_listed(threads)}", f"--keys={key_bytes}"]
    options += [f"--total_mib={HOT_MIB}", "--memory=0", "--benchmark_filter=hot", *_common(seconds)]
    found = []
    for _ in range(rounds):
        found.append(run_program("pmtwin-kv-time", directory, options, NO_FLUSHES))
        progress()
    return _joined(found)


def _common(seconds: float) -> list[str]:
    return ["--benchmark_format=json", f"--benchmark_min_time={seconds}"]


def _cold_mib() -> int:
    try:
        text = LAST_CACHE.read_text().strip()
        last_cache_kib = int(text.removesuffix("K"))
    except (OSError, ValueError):
        last_cache_kib = 0
    return max(LEAST_COLD_MIB, TIMES_LAST_CACHE * last_cache_kib >> 10)


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, sorted(numbers)))


def _joined(documents: list[dict]) -> dict:
    """One document with the cases of all."""
    return documents[0] | {"benchmarks": [case for document in documents for case in document["benchmarks"]]}


def validate(counts: dict, cold: dict, hot: dict, cores: int) -> dict:
    """Fit, predict what was kept aside, compare.

    Args:
        counts: of `count`.
        cold, hot: of `measure`.
        cores: of the machine.

    Returns:
        `points` with prediction and measurement, `median_error_percent` by operation, `factors` by operation and term.
    """
    from calibrate import kv_times
    from calibrate.access_profile import access_profile_of

    profile = _memory_profile(cold, access_profile_of(counts, "pmtwin-kv-count"))
    times, software = (kv_times.times_of(document, "pmtwin-kv-time") for document in (cold, hot))
    points, errors, factors = [], {}, {}
    for operation in kv_times.OPERATIONS:
        model = kv_times.fit(operation, profile, times, software, cores, FIT_SIZES, FIT_THREADS)
        of = kv_times.unseen(model, times, FIT_THREADS)
        points += of
        errors[operation] = _quantiles([abs(point["error_percent"]) for point in of])
        factors[operation] = dict(zip(kv_times.TERMS[operation], model.factors.round(3).tolist(), strict=True))
    return {
        "fitted_value_bytes": list(FIT_SIZES),
        "fitted_threads": list(FIT_THREADS),
        "cores": cores,
        "idle_latency_ns": {
            operation: profile.idle_latency_ns[operation, "random"] for operation in ("load", "store_clwb")
        },
        "error_percent": errors | {"all": _quantiles([abs(point["error_percent"]) for point in points])},
        "factors": factors,
        "points": points,
    }


def _quantiles(errors: list[float]) -> dict[str, float]:
    import numpy as np

    median, high = np.quantile(errors, [0.5, 0.9])
    return {
        "points": len(errors),
        "median": round(float(median), 2),
        "mean": round(float(np.mean(errors)), 2),
        "p90": round(float(high), 2),
    }


def _memory_profile(cold: dict, access: dict):
    """The profile of the memory beneath the store, from the cases `memory/...` of the same run."""
    from dataclasses import replace

    from calibrate.build import calibrate
    from calibrate.readers import ReadOptions, read_sources

    cases = [case for case in cold["benchmarks"] if case["name"].startswith("memory/")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.json"
        path.write_text(json.dumps(cold | {"benchmarks": cases}))
        measurements, _ = read_sources([path], ReadOptions())
    fitted = calibrate(measurements, "memory", "memory beneath the store", bootstrap=REPLICATES, jobs=1)
    return replace(fitted.profile, access_profile=access)
