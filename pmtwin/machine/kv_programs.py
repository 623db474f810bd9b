"""Memory accesses and times of gets and puts of pmemkv, by `pmtwin-kv-count` and `pmtwin-kv-time`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pmtwin.machine.native_programs import run_program
from pmtwin.sim.device.access_profile import KEY_BYTES

COUNT, TIME = "pmtwin-kv-count", "pmtwin-kv-time"
HOT_MIB = 16
LAST_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")  # not sysconf: it adds up what a guest cannot use
LEAST_COLD_MIB = 128
TIMES_LAST_CACHE = 4
"""Size of a store that is mostly outside the caches, as a multiple of the last cache; at least the number above."""

NO_FLUSHES = {"PMEM_NO_FLUSH": "1", "PMEM_NO_MOVNT": "1"}
NO_STRING_COPIES = {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"}
"""Environment without copies by `rep movsb`, which stop a traced program at each byte: a get of 1 MiB took a second."""


def count(directory: str, sizes: tuple[int, ...], key_bytes: int = KEY_BYTES, traced: int = 4) -> dict:
    """Memory accesses of get, put and insert at value `sizes` in bytes, from `traced` traced operations of each.

    Raises:
        InputError: if the directory cannot be used.
        MissingDependencyError: if the program was not built.
    """
    options = [f"--values={_listed(sorted(sizes))}", f"--keys={key_bytes}", "--steps=0", f"--traced={traced}"]
    return run_program(COUNT, directory, options, NO_STRING_COPIES)


def time_cold(directory: str, sizes: list[int], threads: tuple[int, ...], seconds: float) -> dict:
    """Times of gets and puts in a store larger than the caches, and of the memory below; `sizes` in this order.

    Raises:
        InputError: if the directory cannot be used.
        MissingDependencyError: if the program was not built.
    """
    options = [f"--values={_listed(sizes)}", f"--threads={_listed(threads)}", f"--total_mib={_cold_mib()}"]
    options += ["--benchmark_filter=cold|memory", *_common(seconds)]
    return run_program(TIME, directory, options)


def time_hot(
    directory: str,
    sizes: tuple[int, ...],
    threads: tuple[int, ...],
    rounds: int,
    seconds: float,
    progress: Callable[[], object] = lambda: None,
    key_bytes: int = KEY_BYTES,
) -> dict:
    """Times of the software alone: without flushes, with the memory in the caches.

    Args:
        directory: directory of the pool, which is removed afterwards.
        sizes: sizes of the values, in bytes.
        threads: numbers of threads.
        rounds: number of samples of each case.
        seconds: least duration of a sample.
        progress: called after each round.
        key_bytes: size of each key, in bytes.

    Raises:
        InputError: if the directory cannot be used.
        MissingDependencyError: if the program was not built.
    """
    options = [f"--values={_listed(sorted(sizes))}", f"--threads={_listed(threads)}", f"--keys={key_bytes}"]
    options += [f"--total_mib={HOT_MIB}", "--memory=0", "--benchmark_filter=hot", *_common(seconds)]
    times = []
    for _ in range(rounds):
        times.append(run_program(TIME, directory, options, NO_FLUSHES))
        progress()
    return joined(times)


def joined(documents: list[dict]) -> dict:
    """One document of times with the cases of all documents."""
    return documents[0] | {"benchmarks": [case for document in documents for case in document["benchmarks"]]}


def _common(seconds: float) -> list[str]:
    return ["--benchmark_format=json", f"--benchmark_min_time={seconds}"]


def _cold_mib() -> int:
    try:
        text = LAST_CACHE.read_text().strip()
        last_cache_kib = int(text.removesuffix("K"))
    except (OSError, ValueError):
        last_cache_kib = 0
    return max(LEAST_COLD_MIB, TIMES_LAST_CACHE * last_cache_kib >> 10)


def _listed(numbers: list[int] | tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))
