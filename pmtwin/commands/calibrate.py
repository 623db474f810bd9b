"""`pmtwin calibrate`: from measurements of a device to its profile, with a report that says where not to trust it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pmtwin.machine import usable_processors
from pmtwin.output import counted, message, print_json, print_table
from pmtwin.replacing import PROFILE, add_force, check_output
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.errors import InputError, check_range, unknown_name

if TYPE_CHECKING:
    from pmtwin.calibrate.build import Calibration
    from pmtwin.calibrate.calibration import OperationCalibration
    from pmtwin.calibrate.measurements import Configurations, Measurements
    from pmtwin.sim.device import Profile
    from pmtwin.sim.device.table_file import Table

HELP = "fit a profile to measurements of a device"
DESCRIPTION = """Fits a profile to bandwidths that were measured of a device. The format of a file is found by its
content: LATTester's sweep (CSV), PerMA-Bench's results (JSON, or flattened into a table) and its mixes, fio's JSON
(ioengine libpmem, dev-dax or mmap), the text of Intel's Memory Latency Checker (latencies only), and the probe's
JSON. Files may be compressed (.gz) and of different formats. What the measurements do not tell is named in the
profile as not identified, and refused where it is asked for."""

DEFAULT_BOOTSTRAP = 120
MAX_BOOTSTRAP = 10_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of `pmtwin calibrate`."""
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="file of measurements, or folder of such files")
    parser.add_argument("-o", "--output", metavar="FILE", help="profile to write (JSON)")
    add_force(parser)
    parser.add_argument("--report", metavar="DIR", help="folder for the fit report (HTML and PNG)")
    parser.add_argument("--name", default="calibrated", help="name of the profile")
    parser.add_argument("--device", default="not stated", help="what was measured, for the profile's reader")
    parser.add_argument("--machine", metavar="NAME", help="which one, in a table of several (column file or hw)")
    parser.add_argument(
        "--dimms", type=int, metavar="N", help="modules, where the files do not say: 1 to 6 (default: 6)"
    )
    parser.add_argument("--media", default="", metavar="KIND", help="pmem or dram, where the files do not say")
    parser.add_argument(
        "--like",
        metavar="PROFILE",
        help="profile whose latencies and tail stand in for what the files do not tell (marked as assumed)",
    )
    parser.add_argument(
        "--effects",
        nargs="+",
        default=(),
        metavar="FILE",
        help="further files that tell of strides and fences (LATTester's sweeps; a SOURCE tells of its own), the far "
        "NUMA node and mixes (PerMA-Bench, FAST'20 figure 6) and the tail of writes (FAST'20 figure 3), and that "
        "latency under load is judged by (FAST'20 figure 6)",
    )
    parser.add_argument(
        "--access-profile",
        metavar="FILE",
        default=DEFAULT_PROFILE,
        help="what pmtwin probe --kv wrote: what gets and puts of pmemkv ask of a device; or a profile that has it "
        f"(default: {DEFAULT_PROFILE}, pmemkv 1.4: the same on every device)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of cross-validation and bootstrap")
    parser.add_argument(
        "--bootstrap",
        type=int,
        default=DEFAULT_BOOTSTRAP,
        metavar="N",
        help="replicates for the intervals; 0 fits the mechanism alone, without residual and intervals",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=usable_processors(),
        metavar="N",
        help="worker processes; any number, same result (default: the processors that this process may use)",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--dry-run", action="store_true", help="read and clean, say what would be fitted, fit nothing")


def run(args: argparse.Namespace) -> None:
    """Read, clean, fit, print the error table, write the profile and the report."""
    from pmtwin.calibrate.access_profile import read_access_profile
    from pmtwin.calibrate.effects.rows import read_effect_tables
    from pmtwin.calibrate.measurements import group
    from pmtwin.calibrate.readers import ReadOptions, read_sources
    from pmtwin.calibrate.report.page import prepare_folder

    _check(args)
    effects = read_effect_tables(args.effects)
    access = read_access_profile(args.access_profile)  # a bad file is told before the fit, not after it
    measurements, skipped = read_sources(args.sources, ReadOptions(args.dimms, args.machine, args.media))
    if args.dry_run:
        configurations, _ = group(measurements)
        _print_plan(args, measurements, configurations, skipped)
        return
    if args.report:
        prepare_folder(args.report)
    calibration = _calibrate(args, measurements, effects)
    if args.output:
        replace(calibration.profile, access_profile=access).save(args.output)
        _stage(f"profile: {args.output}")
    if args.report:
        from pmtwin.calibrate.report import write_report

        _stage("drawing the report")
        message(f"report: {write_report(calibration, args.report)}")
    _print_result(args, calibration, skipped)
    if not (args.output or args.report):
        message("nothing was written: -o FILE keeps the profile, --report DIR the report")


def _stage(text: str) -> None:
    """One line per stage where no bar shows progress: a log that is silent for minutes looks like a hang."""
    if not sys.stderr.isatty():
        message(text)


def _check(args: argparse.Namespace) -> None:
    from pmtwin.calibrate.published import PUBLISHED

    if not args.name.strip():
        raise InputError("--name", args.name, "a name that is not blank")
    check_range("--seed", args.seed, 0, 2**63 - 1)
    check_range("--bootstrap", args.bootstrap, 0, MAX_BOOTSTRAP)
    if args.bootstrap == 1:
        raise InputError("--bootstrap", 1, f"0 or 2 to {MAX_BOOTSTRAP}: one replicate has no spread")
    check_range("--jobs", args.jobs, 1, 1024)
    if args.dimms is not None:
        check_range("--dimms", args.dimms, 1, FULL_SET_DIMMS)
    if args.media not in ("", *PUBLISHED):
        raise unknown_name("--media", args.media, PUBLISHED)
    if args.like:
        load_profile(args.like)
    if args.output and not args.dry_run:
        check_output(args.output, "--output", PROFILE, args.force)


def _calibrate(args: argparse.Namespace, measurements: Measurements, effects: Sequence[Table]) -> Calibration:
    from tqdm import tqdm

    from pmtwin.calibrate.build import calibrate, plan
    from pmtwin.calibrate.measurements import group

    fitted, _ = plan(group(measurements)[0], measurements.dropped)
    replicates = f"{counted(args.bootstrap, 'replicate')} each"
    _stage(f"read {counted(len(measurements), 'usable row')}; fitting {', '.join(fitted)} ({replicates})")

    def progress(results: Iterable[OperationCalibration]) -> Iterator[OperationCalibration]:
        bar = tqdm(results, desc="operations", total=len(fitted), unit="fit", disable=None, file=sys.stderr)
        for operation, result in zip(fitted, bar, strict=True):
            _stage(f"fitted {operation}")
            yield result

    return calibrate(
        measurements,
        args.name,
        args.device,
        seed=args.seed,
        bootstrap=args.bootstrap,
        jobs=args.jobs,
        progress=progress,
        like=load_profile(args.like) if args.like else None,
        command=_command(args),
        effects=effects,
    )


def _command(args: argparse.Namespace) -> str:
    """What reproduces the profile, with the names of the files but not where they were."""
    words = ["pmtwin", "calibrate", *(os.path.basename(os.path.normpath(source)) for source in args.sources)]
    for name in ("machine", "dimms", "media", "like", "name", "device", "seed", "bootstrap"):
        value = getattr(args, name)
        if value not in (None, ""):
            words += [f"--{name}", str(value)]
    if args.access_profile != DEFAULT_PROFILE:
        words += ["--access-profile", os.path.basename(args.access_profile)]
    if args.effects:
        words += ["--effects", *(os.path.basename(path) for path in args.effects)]
    return shlex.join(words)


def _summary(measurements: Measurements, configurations: int, skipped: list[str]) -> dict:
    return {
        "sources": [vars(source) for source in measurements.sources],
        "not_read": skipped,
        "usable_rows": len(measurements),
        "dropped_rows": dict(sorted(measurements.dropped.items())),
        "configurations": configurations,
    }


def _print_plan(
    args: argparse.Namespace, measurements: Measurements, configurations: Configurations, skipped: list[str]
) -> None:
    from pmtwin.calibrate.build import plan

    fitted, left_out = plan(configurations, measurements.dropped)
    summary = _summary(measurements, len(configurations), skipped)
    if args.json:
        print_json(summary | {"would_fit": fitted, "too_few_configurations": left_out})
        return
    _print_cleaning(summary)
    print(f"would fit: {', '.join(fitted)}")
    _print_left_out(left_out)


def _print_result(args: argparse.Namespace, calibration: Calibration, skipped: list[str]) -> None:
    record = calibration.profile.record
    summary = _summary(calibration.measurements, record["configurations"], skipped)
    if args.json:
        keys = ("noise_floor_percent", "errors_percent", "mixes", "not_identified", "notes", "published")
        keys += ("errors_percent_mixes", "errors_percent_latency_under_load", "errors_percent_tail")
        keys += ("parameters", "seed", "bootstrap", "command", "versions")
        left_out = {"too_few_configurations": calibration.left_out}
        print_json(summary | left_out | {key: record.get(key) for key in keys} | {"output": args.output})
        return
    _print_cleaning(summary)
    _print_left_out(calibration.left_out)
    print("\nabsolute error of bandwidth in %, median / mean / 90th percentile")
    _print_errors(record)
    if record["mixes"]:
        print(f"mixes, {record['mixes']['points']} points, nothing fitted: {_three(record['mixes']['error_percent'])}")
    _print_effects(calibration.profile)
    for note in record["notes"]:
        print(f"note: {note}")
    print_table([(what,) for what in record["not_identified"]], ("not identified",))


def _print_effects(profile: Profile) -> None:
    from pmtwin.calibrate.report.effects import ratio_text

    record = profile.record
    for name, of in (profile.effects or {}).items():
        for operation, entry in of.items():
            if ratio := ratio_text(entry):
                errors = "; from 4 KiB on ".join(_three(part) for part in entry["errors_percent"])
                about = f"{name} of {operation}, {entry['configurations']} configurations"
                print(f"{about}: {ratio} of the plain bandwidth; unseen ones {errors}")
    for operation, entry in (record.get("errors_percent_mixes") or {}).items():
        pure = " and ".join(f"{side}s {ratio:.2f}" for side, ratio in entry["pure_over_predicted"].items())
        own = f"; with the benchmark's own pure bandwidths ({pure} of the predicted ones) {_three(entry['own_ends'])}"
        print(f"mixes with {operation}, {entry['points']} of unseen write ratios: {_three(entry['predict'])}{own}")
    loaded = record.get("errors_percent_latency_under_load")
    if loaded:
        print(f"latency under load, {loaded['points']} points: {_three(loaded['predict'])}")
    tail = record.get("errors_percent_tail") or {}
    for name in sorted(tail.keys() - {"points"}):
        print(f"{name} of single writes, {tail['points']} hot spots: {_three(tail[name])}")


def _print_cleaning(summary: dict) -> None:
    for source in summary["sources"]:
        print(
            f"read {source['name']} ({source['reader']}): {counted(source['rows'], 'row')}, {source['usable']:,} usable"
        )
    if summary["not_read"]:
        print(f"not read, no measurements or a copy: {', '.join(summary['not_read'])}")
    if summary["dropped_rows"]:
        print_table([(count, reason) for reason, count in summary["dropped_rows"].items()], ("dropped", "because"))
    print(counted(summary["configurations"], "configuration"))


def _print_left_out(left_out: dict[str, int]) -> None:
    for operation, count in left_out.items():
        print(f"not fitted: {operation}, only {counted(count, 'configuration')}")


def _print_errors(record: dict) -> None:
    """One row per operation and one for the noise, if anything was measured twice; without replicates only own data."""
    header = ("operation", "own data", "unseen configurations", "unseen thread counts", "inside 90 %", "half-width")
    columns = len(header) if record["bootstrap"] else 2
    rows = []
    for operation, table in record["errors_percent"].items():
        unseen, threads = (table.get(key, {}) for key in ("unseen_configurations", "unseen_thread_counts"))
        coverage = table.get("coverage_90")
        rows.append(
            (
                operation,
                _three(table["fit"]["mechanism"]),
                _three(unseen.get("predict")),
                _three(threads.get("predict")),
                f"{coverage['configurations']:.1%}" if coverage else "-",
                f"{table['median_half_width']['configurations']} %" if coverage else "-",
            )
        )
    together = (record["errors_percent_all"] or {}).get("predict")
    if together:
        rows.append(("all operations", "-", _three(together), "-", "-", "-"))
    if record["noise_floor_percent"]:
        rows.append(("replicates", _three(record["noise_floor_percent"]), "-", "-", "-", "-"))
    print_table([row[:columns] for row in rows], header[:columns])


def _three(values: list[float] | None) -> str:
    return " / ".join(f"{value:.2f}" for value in values) if values else "-"
