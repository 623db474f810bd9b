"""`pmtwin probe`: measures the memory below a directory, where it matters first, for `pmtwin calibrate`."""

from __future__ import annotations

import argparse
import os
import signal
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.output import message, print_json, print_table
from sim.access_profile import KEY_BYTES
from sim.device.geometry import FULL_SET_DIMMS
from sim.device.law import OPERATIONS
from sim.errors import InputError, check_range, unknown_name
from sim.files import check_writable, write_atomically

if TYPE_CHECKING:
    from calibrate.probing.session import Plan, Session, State

HELP = "measure a memory device through a directory on it"
DESCRIPTION = """Measures bandwidth and latency of the memory below a directory, in a file without a name that is gone
however the probe ends. Without a preset it takes at most five minutes and measures where the fitted model is least
certain. An interrupted probe goes on where it was when the same command is given again. What it writes goes to `pmtwin
calibrate` as it is."""

LONGEST_S = 30 * 24 * 3600.0
SHOW_EVERY_S = 10.0


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of `pmtwin probe`."""
    parser.description = DESCRIPTION
    parser.add_argument("--path", metavar="DIR", help="directory on the memory, such as /mnt/pmem0 or /dev/shm")
    parser.add_argument("-o", "--output", metavar="FILE", help="result to write (JSON)")
    presets = parser.add_mutually_exclusive_group()
    presets.add_argument("--quick", action="store_true", help="at most 60 s")
    presets.add_argument(
        "--kv",
        action="store_true",
        help="not the memory: what gets and puts of pmemkv ask of it, for pmtwin calibrate --access-profile",
    )
    parser.add_argument(
        "--key-bytes",
        type=int,
        default=KEY_BYTES,
        metavar="N",
        help=f"keys of --kv, 8 to 4096 B (default: {KEY_BYTES})",
    )
    presets.add_argument("--full", action="store_true", help="the dense sweep, in an order by chance: an hour and more")
    parser.add_argument("--target-error", type=float, metavar="PERCENT", help="stop at this median error of the model")
    parser.add_argument("--time", type=float, metavar="SECONDS", help="take no longer (default: 300; --quick: 60)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with an interrupted probe; an error if there is none"
    )
    parser.add_argument("--force", action="store_true", help="begin anew, over an existing result or journal")
    parser.add_argument(
        "--operations",
        default=None,
        metavar="NAMES",
        help="of load,ntstore,store_clwb,store (default: the first three)",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="most threads of a case (default: one per processor)")
    parser.add_argument("--dimms", type=int, metavar="N", help="modules of the device, if the kernel does not tell")
    parser.add_argument(
        "--region-bytes", type=int, metavar="N", help="memory to measure on (default: 16 times the cache)"
    )
    parser.add_argument("--memory-node", type=int, metavar="N", help="NUMA node to take the memory from")
    parser.add_argument("--isa", metavar="NAMES", help="narrower instructions, such as avx2+clflushopt")
    parser.add_argument("--seed", type=int, default=0, help="of the order of the cases")
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="measure nothing: how far probe B repeats probe A"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be measured, and measure nothing")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    """Probe, or compare two probes."""
    began = time.monotonic()
    if args.compare:
        _compare(args)
        return 0
    _check(args)
    if args.kv:
        _probe_kv(args)
        return 0
    if args.dry_run:
        _print_plan(args)
        return 0
    return _probe(args, began)


def _check(args: argparse.Namespace) -> None:
    if not args.path:
        raise InputError("--path", args.path, "a directory on the memory to measure")
    if not (args.output or args.dry_run):
        raise InputError("--output", args.output, "the name of the result")
    check_range("--seed", args.seed, 0, 2**63 - 1)
    usable = len(os.sched_getaffinity(0))
    if args.threads is not None:
        check_range("--threads", args.threads, 1, usable, "(processors that this process may use)")
    if args.dimms is not None:
        check_range("--dimms", args.dimms, 1, FULL_SET_DIMMS)
    if args.time is not None:
        check_range("--time", args.time, 5.0, LONGEST_S, "s")
    if args.target_error is not None:
        check_range("--target-error", args.target_error, 0.01, 100.0, "%")
    _operations(args)


def _operations(args: argparse.Namespace) -> tuple[str, ...]:
    from calibrate.probing.plan import DEFAULT_OPERATIONS

    if args.operations is None:
        return DEFAULT_OPERATIONS
    names = tuple(dict.fromkeys(name.strip() for name in args.operations.split(",")))
    for name in names:
        if name not in OPERATIONS:
            raise unknown_name("--operations", name, OPERATIONS)
    return names


def _plan(args: argparse.Namespace, context: dict) -> Plan:
    from calibrate.probing.plan import PRESETS
    from calibrate.probing.session import Plan

    preset = PRESETS["quick" if args.quick else "full" if args.full else "default"]
    limit = preset.seconds if args.time is None else 0.95 * args.time
    most = int(context.get("local_threads", len(os.sched_getaffinity(0))))
    if args.threads is not None:
        check_range("--threads", args.threads, 1, most, "(processors near the memory)")
        most = args.threads
    dimms = args.dimms or int(context.get("dimms", FULL_SET_DIMMS))
    return Plan(preset, _operations(args), most, float(dimms), limit, args.target_error, args.seed)


def _probe(args: argparse.Namespace, began: float) -> int:
    from calibrate.probing.journal import Journal, journal_path
    from calibrate.probing.native import NativeProbe, find_program
    from calibrate.probing.session import Session

    find_program()
    output = _check_output(args)
    journal_at = journal_path(output)
    if args.resume and not journal_at.exists():
        raise InputError("--resume", str(journal_at), "the journal of an interrupted probe; there is none")
    journal = Journal(journal_at, _asked(args), args.force)
    device = None
    try:
        with _terminating():
            _remove_left_over(args.path, output)
            device = NativeProbe(args.path, _native_options(args))
            journal.check_device(_identity(device.context))
            for warning in device.context.get("warnings", ()):
                message(f"warning: {warning}")
            if journal.resumed:
                message(f"going on with {journal_at}: {sum('case' in e for e in journal.entries)} cases are there")
            plan = _plan(args, device.context)
            with _bar(plan) as (start, show):
                session = Session(device, plan, journal, began, on_case=show)
                start(session)
                code = _run(session)
            _finish(args, output, journal, device.context, plan, session, code)
            return code
    finally:
        if device is not None:
            device.close()
        journal.close()


def _probe_kv(args: argparse.Namespace) -> None:
    from pmtwin.output import progress
    from pmtwin.probe import kv

    if args.dry_run:
        print_table([(f"{size} B",) for size in kv.SIZES], ("values",))
        return
    check_range("--key-bytes", args.key_bytes, 8, 4096, "B")
    output = check_writable(args.output, "--output")
    if os.path.lexists(output) and not args.force:
        raise InputError("--output", str(output), "a new file (--force overwrites it)")
    with _terminating(), progress(description="sizes and rounds", total=kv.steps()) as bar:
        document = kv.access_document(args.path, args.key_bytes, bar.update)
    write_atomically(output, lambda file: file.write(kv.to_text(document)), field="--output")
    message(f"next: pmtwin calibrate probe.json --access-profile {output} -o my-device.json")


def _run(session: Session) -> int:
    try:
        session.run()
    except Terminated:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def _finish(args, output: Path, journal, context: dict, plan: Plan, session: Session, code: int) -> None:
    from calibrate.probing.document import document, to_text, warnings_of

    if not session.state.measurements:
        if not code:
            raise InputError("--time", args.time, "more than the set-up of the probe takes: nothing was measured")
        message("interrupted before anything was measured")
        return
    result = document(journal, context, plan, session.state, session.elapsed_s(), code != 0)
    write_atomically(output, lambda file: file.write(to_text(result)), field="--output")
    if not code:
        journal.remove()
    for warning in warnings_of(session.state):
        message(f"warning: {warning}")
    _print_result(args, result)
    if code:
        message(f"interrupted: the same command goes on from {journal.path}")
    else:
        message(f"next: pmtwin calibrate {output} -o my-device.json --report fit")


def _check_output(args: argparse.Namespace) -> Path:
    """The result's path.

    Raises:
        InputError: it cannot be written, or something is there that is not this probe's own.
    """
    from calibrate.probing.document import own_probe_id
    from calibrate.probing.journal import journal_path, probe_id_of

    output = Path(args.output)
    if os.path.lexists(output):
        if not stat.S_ISREG(os.lstat(output).st_mode):
            raise InputError(
                "--output", str(output), "a new file, or a regular one with --force; this is something else"
            )
        own = own_probe_id(output)
        if not args.force and (own is None or own != probe_id_of(journal_path(output))):
            what = "a file that is no result of a probe" if own is None else "the result of a finished probe"
            raise InputError("--output", str(output), f"a new file; this is {what} (--force overwrites it)")
    return check_writable(output, "--output")


def _asked(args: argparse.Namespace) -> dict:
    """What has to be the same when a probe goes on; its time and wanted error may change."""
    names = ("threads", "dimms", "region_bytes", "memory_node", "isa", "seed", "quick", "full")
    return {
        "path": os.path.realpath(args.path),
        "operations": ",".join(_operations(args)),
        **{name: getattr(args, name) for name in names},
    }


IDENTITY = ("host_name", "cpu_model", "media", "isa", "local_threads")


def _identity(context: dict) -> dict:
    return {name: context.get(name) for name in IDENTITY} | {"memory": context.get("memory")}


def _native_options(args: argparse.Namespace) -> list[str]:
    given = {"--region-bytes": args.region_bytes, "--memory-node": args.memory_node, "--isa": args.isa}
    return [word for option, value in given.items() if value is not None for word in (option, str(value))]


def _remove_left_over(directory: str, output: Path) -> None:
    """What a probe of ours left that was killed, and nothing else; the journal's lock says that none is at work."""
    from calibrate.probing.left_over import left_over_files

    for path in left_over_files(Path(directory), output):
        path.unlink(missing_ok=True)
        message(f"removed {path}, which a killed probe left")


@contextmanager
def _terminating() -> Iterator[None]:
    """SIGTERM as an exception, so that what was measured is kept."""

    def terminated(*_: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _bar(plan: Plan) -> Iterator[tuple]:
    """A bar over the seconds that the probe may take; without a terminal, a line now and then."""
    from math import isfinite

    from tqdm import tqdm

    total = round(plan.seconds) if isfinite(plan.seconds) else None
    running: list[Session] = []
    shown = [0.0]
    with tqdm(desc="probe", total=total, unit="s", file=sys.stderr, disable=None, dynamic_ncols=True) as bar:

        def show(state: State) -> None:
            elapsed = running[0].elapsed_s()
            bar.n = round(min(elapsed, plan.seconds))
            bar.set_postfix_str(_progress_text(state))
            if bar.disable and elapsed - shown[0] >= SHOW_EVERY_S:
                shown[0] = elapsed
                left = f", at most {plan.seconds - elapsed:.0f} s left" if total else ""
                message(f"{elapsed:.0f} s: {_progress_text(state)}{left}")

        yield running.append, show


def _progress_text(state: State) -> str:
    text = f"{state.cases} cases"
    if state.error_percent:
        text += f", error {state.error_percent[0]:.2f} %"
    if state.noise_percent:
        text += f", noise {state.noise_percent[0]:.2f} %"
    return text


def _print_result(args: argparse.Namespace, result: dict) -> None:
    of = result["context"]["probe"]
    if args.json:
        print_json({"output": args.output, **of, "warnings": result["context"]["warnings"]})
        return
    rows = [("cases", str(of["cases"])), ("measurements", str(of["measurements"])), ("seconds", f"{of['seconds']:.1f}")]
    for name, label in (("error_percent", "error of the model"), ("noise_percent", "noise of repetitions")):
        if of[name]:
            rows.append(
                (label, " / ".join(f"{value:.2f}" for value in of[name]) + " % (median / mean / 90th percentile)")
            )
    if of["refused"]:
        rows.append(("refused", f"{len(of['refused'])} cases, the first: {of['refused'][0]['error']}"))
    print_table([*rows, ("result", args.output)])


def _print_plan(args: argparse.Namespace) -> None:
    from calibrate.probing.plan import bandwidth_cases, latency_cases, mix_cases

    plan = _plan(args, {})
    pure = bandwidth_cases(plan.operations, plan.most_threads)
    counts = {
        "preset": plan.preset.name,
        "operations": ", ".join(plan.operations),
        "most_threads": plan.most_threads,
        "bandwidth_cases": len(pure),
        "latency_cases": len(latency_cases(plan.operations)),
        "mix_cases": len(mix_cases(plan.operations, plan.most_threads, plan.preset)),
        "seconds_of_all": round(1.2 * len(pure) * plan.preset.most_repetitions * plan.preset.min_time_s),
        "limit_s": None if args.full and args.time is None else plan.seconds,
    }
    print_json(counts) if args.json else print_table([(name, str(value)) for name, value in counts.items()])


def _compare(args: argparse.Namespace) -> None:
    from calibrate.probing.compare import compare

    found = compare(*args.compare)
    if args.json:
        print_json(found)
        return
    rows = [("all", *found["difference_percent"])] + [(name, *of) for name, of in found["by_operation"].items()]
    rows += [
        (f"noise of {path}", *noise) for path, noise in zip(args.compare, found["noise_percent"], strict=True) if noise
    ]
    print(f"{found['cases']} cases in common; the second is {found['shift_percent']:+.2f} % off in the median")
    print_table(rows, ("difference in %", "median", "mean", "90th percentile"))
    latencies = [tuple(each.values()) for each in found["latencies"]]
    if latencies:
        print_table(latencies, ("latency of", "pattern", "size B", "first ns", "second ns", "difference %"))
