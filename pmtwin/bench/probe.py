"""`pmtwin bench probe`: the probe's figures beside those of other programs, on one machine in one run.

The idle latency beside `pmtwin-plain-chase`; bandwidths of one thread beside `pmtwin-plain-accesses`, and beside what a
profile predicts of them; sequential bandwidths beside likwid-bench. Both sides measure as much memory, on pages of the
same size: the accesses a file in the directory as the probe, the chase and likwid anonymous memory. By likwid, a
bandwidth is measured by a new process on new memory each time, on either side: which physical pages it gets, and what
it did just before, would else be the difference.
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
"""Access size of the streams: the walk's own work is then spread over many lines, as likwid's is."""

ACCESSES = [
    Access(operation, "random", size) for operation in ("load", "ntstore", "store_clwb") for size in (64, 256, 4096)
]
"""What the independent loops measure."""

DEFAULT_REGION = ("--cache-multiple", str(SHORT_MULTIPLE))
"""As of a short probe: each side holds as much memory."""

STREAMS = {"load": "load", "ntstore": "store_mem", "store": "store"}
"""The probe's operation -> likwid's kernel, to which it adds the width of its vectors."""


def measure(request: Request, profile: str | None = None) -> dict:
    """Measure in pairs; a ratio beyond the wanted one is told, and is no failure of the command.

    Args:
        profile: whose predictions are set beside the independent loops.

    Raises:
        InputError: the directory or the profile cannot be used.
        MissingDependencyError: the native programs were not built.
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
        request: `repeats` pairs of each quantity, each measurement of `seconds`.
        step: called after each pair with the number of all pairs.
        options: more options of the native probe.
        profile: whose predictions are set beside the independent loops.

    Returns:
        `context` of the probe, `left_out` (reasons), and `results` of `pmtwin.bench.pairs.compared`, with a
        `prediction` (`pmtwin.bench.predicted`) where a profile says one.

    Raises:
        InputError: the directory cannot be used.
        MissingDependencyError: a program was not built.
    """
    path, repeats, seconds = request
    chase, accesses = plain.find(plain.CHASE), plain.find(plain.ACCESSES)
    with contextlib.closing(NativeProbe(["--path", path, *DEFAULT_REGION, *options])) as probe:
        context, memory = probe.context, probe.context["memory"]
        bandwidths = _bandwidths(path, options, context, seconds) if shutil.which(likwid.PROGRAM) else []
        loops = [each for each in ACCESSES if each.operation != "store_clwb" or context["isa"].endswith("+clwb")]
        region_bytes, total = memory["region_bytes"], repeats * (1 + len(loops) + len(bandwidths))
        with plain.chase(chase, region_bytes, _has_huge_pages(memory)) as follow:
            results = [compared(_latency(probe, follow, seconds), repeats, lambda: step(total))]
        with plain.accesses(accesses, path, region_bytes, _vectors(context)) as run:
            for access in loops:
                result = compared(_accesses(probe, run, access, seconds), repeats, lambda: step(total))
                told = prediction(profile, access, result["reference"]["median"]) if profile else None
                results.append(result | ({"prediction": told} if told else {}))
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
    """Bandwidth by the time for which the thread had its processor, as the loops state it."""
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
    """One stream and as many as there are processors beside the memory, of each kind."""
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
