"""`pmtwin bench probe`: measurements of the probe against those of other programs, on one machine in one run.

The idle latency is compared with `pmtwin-plain-chase`; bandwidths of one thread with `pmtwin-plain-accesses` and with
the predictions of a profile; sequential bandwidths with likwid-bench. Both sides use the same amount of memory and page
size: `pmtwin-plain-accesses` a file in the directory like the probe, the chase and likwid anonymous memory. In the
comparison with likwid, both sides measure each time in a new process on new memory; otherwise the physical pages, and
the work just before, would make the difference.
"""

from __future__ import annotations

import contextlib
import functools
import shutil
from collections.abc import Callable, Sequence

from pmtwin.bench import Request, likwid, plain
from pmtwin.bench.pairs import WANTED_PERCENT, Comparison, Measure, compared
from pmtwin.bench.predicted import Access, inside_text, prediction, prediction_text
from pmtwin.calibrate.probing.native import NativeProbe
from pmtwin.calibrate.readers.probe import own_share
from pmtwin.console.output import message, print_table
from pmtwin.console.progress import progress
from pmtwin.probe.options import SHORT_MULTIPLE
from pmtwin.sim.device.interval_kinds import CAMPAIGN, with_interval
from pmtwin.sim.device.profile import Profile, load_profile

HUGE_PAGE_BYTES = 2 << 20
BLOCK_BYTES = 4096
"""Access size of the streams, large enough to spread the loop's overhead over many lines, as in likwid."""

ACCESSES = [
    Access(operation, "random", size) for operation in ("load", "ntstore", "store_clwb") for size in (64, 256, 4096)
]
"""Accesses that the independent loops measure."""

DEFAULT_REGION = ("--cache-multiple", str(SHORT_MULTIPLE))
"""Option for the region of a short probe; each side allocates one of this size."""

STREAMS = {"load": "load", "ntstore": "store_mem", "store": "store"}
"""Operation of the probe -> kernel of likwid, without the suffix for its vectors."""


def measure(request: Request, profile: str | None = None) -> dict:
    """Measure in pairs; a ratio outside the wanted range is reported, and does not fail the command.

    Args:
        request: directory, number of pairs, and duration of each measurement.
        profile: profile whose predictions are compared with the independent loops.

    Raises:
        InputError: if the directory or the profile cannot be used.
        MissingDependencyError: if the native programs were not built.
    """
    device = with_interval(load_profile(profile), CAMPAIGN) if profile else None  # measured at another time
    with progress(desc="pairs") as bar:

        def step(total: int) -> None:
            bar.total = total
            bar.update()

        result = compare(request, step, profile=device)
    for warning in (*result["context"]["warnings"], *(f"left out: {reason}" for reason in result["left_out"])):
        message(f"pmtwin bench probe: {warning}")
    asked = {"seconds": request.seconds, "path": request.path, "profile": profile, "wanted_percent": WANTED_PERCENT}
    return asked | result


def show(report: dict) -> None:
    """Print both sides, their ratio with its interval, and the verdict."""
    memory = report["context"]["memory"]
    size, pages = memory["region_bytes"] >> 20, memory["page_bytes"]
    print(f"probe: medians of {report['repeats']} pairs on {size} MiB of {memory['file_system']}, pages of {pages} B")
    rows = []
    for entry in report["results"]:
        ratio = entry["ratio"]
        interval = f"{ratio['low']:.3f} to {ratio['high']:.3f}"
        sides = (entry["unit"], entry["probe"]["median"], entry["reference"]["median"], entry["reference_name"])
        verdict = ("yes" if entry["within"] else "no") + ("" if entry["certain"] else ", not certain")
        told = prediction_text(entry.get("prediction")) if report["profile"] else ()
        rows.append((entry["quantity"], *sides, round(ratio["median"], 4), interval, verdict, *told))
    within = f"within {report['wanted_percent']:g} %"
    header = ("quantity", "unit", "probe", "reference", "by", "ratio", "its interval", within)
    print_table(rows, header + (("predicted", "inside") if report["profile"] else ()))
    if report["profile"]:
        print(inside_text([entry["prediction"] for entry in report["results"] if "prediction" in entry]))


def compare(
    request: Request, step: Callable[[int], object], options: Sequence[str] = (), profile: Profile | None = None
) -> dict:
    """Measure everything in pairs.

    Args:
        request: `repeats` pairs of each quantity, with `seconds` for each measurement.
        step: called after each pair with the total number of pairs.
        options: further options of the native probe.
        profile: profile whose predictions are compared with the independent loops.

    Returns:
        `context` of the probe, `left_out` (reasons), and `results` of `pmtwin.bench.pairs.compared`, each with a
        `prediction` (`pmtwin.bench.predicted`) if the profile has one.

    Raises:
        InputError: if the directory cannot be used.
        MissingDependencyError: if a program was not built.
    """
    path, repeats, seconds = request
    chase, accesses = plain.find(plain.CHASE), plain.find(plain.ACCESSES)
    with contextlib.closing(NativeProbe(["--path", path, *DEFAULT_REGION, *options])) as probe:
        context, memory = probe.context, probe.context["memory"]
        bandwidths = _bandwidths(path, options, context, seconds) if shutil.which(likwid.PROGRAM) else []
        has_clwb = context["isa"].endswith("+clwb")
        loops = [access for access in ACCESSES if access.operation != "store_clwb" or has_clwb]
        region_bytes, total = memory["region_bytes"], repeats * (1 + len(loops) + len(bandwidths))
        with plain.chase(chase, region_bytes, _has_huge_pages(memory)) as follow:
            results = [compared(_latency(probe, follow, seconds), repeats, lambda: step(total))]
        with plain.accesses(accesses, path, region_bytes, _vectors(context)) as run:
            for access in loops:
                result = compared(_accesses(probe, run, access, seconds), repeats, lambda: step(total))
                predicted = prediction(profile, access, result["reference"]["median"]) if profile else None
                results.append(result | ({"prediction": predicted} if predicted else {}))
    results += [compared(bandwidth, repeats, lambda: step(total)) for bandwidth in bandwidths]
    absent = f"sequential bandwidths: {likwid.PROGRAM} is absent (Debian: sudo apt-get install likwid)"
    return {"context": context, "left_out": [] if bandwidths else [absent], "results": results}


def _vectors(context: dict) -> str:
    return context["isa"].split("+")[0]


def _has_huge_pages(memory: dict) -> bool:
    return memory["page_bytes"] == HUGE_PAGE_BYTES


def _value(probe: NativeProbe, case: dict, field: str) -> float:
    return float(probe.ask(case | {"repetitions": 1}).benchmarks[0][field])


def _own_mib_s(probe: NativeProbe, case: dict) -> float:
    """Bandwidth per second of the thread's processor time, as the loops report it."""
    (benchmark,) = probe.ask(case | {"repetitions": 1}).benchmarks
    return float(benchmark["bandwidth_mib_s"]) / own_share(benchmark)


def _latency(probe: NativeProbe, chase: Callable[[float], float], seconds: float) -> Comparison:
    case = {"kind": "chase", "operation": "load", "pattern": "random", "min_time_s": seconds}
    return Comparison(
        "idle latency, random pointer chase",
        "ns",
        plain.CHASE,
        lambda: _value(probe, case, "latency_mean_ns"),
        lambda: chase(seconds),
    )


def _accesses(probe: NativeProbe, run: Callable[..., float], access: Access, seconds: float) -> Comparison:
    case = {"kind": "bandwidth", "operation": access.operation, "pattern": access.pattern, "threads": 1}
    case |= {"access_size_bytes": access.size_bytes, "min_time_s": seconds}
    return Comparison(
        str(access),
        "MiB/s",
        plain.ACCESSES,
        lambda: _own_mib_s(probe, case),
        lambda: run(*access, seconds),
    )


def _bandwidths(path: str, options: Sequence[str], context: dict, seconds: float) -> list[Comparison]:
    """Comparisons of each operation, with one thread and with a thread for each processor of the memory's node."""
    vector = likwid.VECTORS[_vectors(context)]
    options = (*options, f"--region-bytes={context['memory']['region_bytes']}")

    def by_probe(case: dict) -> float:
        with contextlib.closing(NativeProbe(["--path", path, *options])) as probe:
            return _value(probe, case, "bandwidth_mib_s") * 1.048576

    comparisons = []
    for threads in sorted({1, context["local_threads"]}):
        for operation, kernel in STREAMS.items():
            case = {"kind": "bandwidth", "operation": operation, "pattern": "sequential", "threads": threads}
            case |= {"access_size_bytes": BLOCK_BYTES, "min_time_s": seconds}
            name = f"sequential {operation}, {threads} thread{'s' if threads > 1 else ''}"
            reference = _by_likwid(f"{kernel}_{vector}", context["memory"], threads, seconds)
            reference_name = f"{likwid.PROGRAM} {kernel}_{vector}"
            comparisons.append(Comparison(name, "MB/s", reference_name, functools.partial(by_probe, case), reference))
    return comparisons


def _by_likwid(kernel: str, memory: dict, threads: int, seconds: float) -> Measure:
    node, megabytes = memory["numa_node"] or 0, round(memory["region_bytes"] / 1e6)
    mb_s = 1e4  # until it is known: how many rounds fill the time

    def measure() -> float:
        nonlocal mb_s
        rounds = max(1, round(mb_s * seconds / megabytes))
        mb_s = likwid.run(kernel, node, megabytes, threads, rounds, _has_huge_pages(memory))
        return mb_s

    return measure
