"""Hold the twin against the real middleware: same policies, workloads, seeds and windows on both; one verdict."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmtwin.twin_options import add_middleware_options, add_twin_options, parameter_record

HELP = "the twin beside the real middleware: errors with intervals, and one verdict"

TOLERANCES = {
    "throughput_median": "median error of throughput",
    "throughput_worst": "worst error of throughput",
    "p99_median": "median error of the p99 of interactive requests",
    "p99_worst": "worst error of it",
    "best_loss": "throughput that the pools which the twin calls best may lose to the best measured",
    "little_share": "windows that may depart from Little's law by more than 10 %% (default: 5)",
    "doubted_share": "windows that the middleware itself may doubt (default: 5)",
    "transfer_loss": "what the policy of --transfer may lose to the best fixed pools (default: 5)",
}

LEARNING = {
    "learn-bounds": ("I,B:I,B", "lower and upper pools, which it never leaves (default: 1,1:32,32)"),
    "learn-step": ("N", "largest change of a pool from one window to the next, threads (default: 4)"),
    "fall-back-after": ("N", "windows in a row that miss the service level (default: 20)"),
    "resume-after": ("N", "windows in a row that keep it, until it learns again (default: 5)"),
}

HOST_WORDS = {
    "measure": "in real time, measured between the runs of the middleware (the default over map and pmemkv)",
    "none": "the twin's defaults",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin validate`."""
    parser.add_argument("scenario", nargs="?", default="nvm-middleware", help="what is controlled")
    _add_what_is_run(parser)
    _add_what_passes(parser)
    _add_results(parser)
    add_middleware_options(parser)
    add_twin_options(parser, HOST_WORDS)
    _add_host(parser)


def _add_what_is_run(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group(
        "what is run (the grid of section 4.2 if nothing is named: about two hours; see --dry-run)"
    )
    what.add_argument(
        "--grid",
        nargs="+",
        metavar="I,B",
        help="fixed pools, or section-4.2: its 42 combinations; each in each phase, or under the workload",
    )
    what.add_argument("--policies", nargs="+", default=[], metavar="SPEC", help="policies through a schedule of phases")
    what.add_argument(
        "--learn",
        metavar="FILE[@I,B]",
        help="also a policy that goes on learning (online-q); I,B: to begin with and fall back to (default: 15,15)",
    )
    what.add_argument(
        "--learnt",
        type=Path,
        metavar="DIR",
        help="of --learn: what it has learnt on the middleware, a file for each run",
    )
    for name, (metavar, meaning) in LEARNING.items():
        what.add_argument(f"--{name}", metavar=metavar, help=f"of --learn: {meaning}")
    what.add_argument(
        "--transfer",
        metavar="SPEC",
        help="a policy (q-learning:FILE) beside the best fixed pools that a search on the middleware finds",
    )
    what.add_argument("--phases", type=int, nargs="+", metavar="K", help="phases that take part (all if omitted)")
    what.add_argument(
        "--workload",
        metavar="NAME",
        help="of the grid, instead of phases: section-4.2, svd, traces, azure-blob, ycsb-a to -d",
    )
    what.add_argument("--windows", type=int, default=10, metavar="N", help="windows of each that count, in one phase")
    what.add_argument("--schedule", default="random", metavar="KIND", help="of phases: order or random")
    what.add_argument("--steps", type=int, default=200, metavar="N", help="of a schedule: windows")
    what.add_argument("--phase-steps", type=int, default=50, metavar="N", help="until its phase changes")
    what.add_argument(
        "--lead-windows",
        type=int,
        default=10,
        metavar="N",
        help="of --transfer, in one phase: windows of the policy before those that count",
    )
    what.add_argument("--warmup-windows", type=int, default=2, metavar="N", help="windows before those that count")
    what.add_argument("--seeds", type=int, default=3, metavar="N", help="independent runs of each")
    what.add_argument("--seed", type=int, default=0, help="root of all random numbers")


def _add_host(parser: argparse.ArgumentParser) -> None:
    host = parser.add_argument_group("this machine, in real time")
    host.add_argument(
        "--host-rounds",
        type=int,
        metavar="N",
        help="rounds spread between the runs: of --host measure, a few seconds each (default: 15); beside a file, a "
        "second each, to tell how much slower the machine is than when it was written (default: 9)",
    )
    host.add_argument(
        "--host-output", type=Path, metavar="FILE", help="of --host measure: also keep the parameters, for --host FILE"
    )


def _add_what_passes(parser: argparse.ArgumentParser) -> None:
    passing = parser.add_argument_group(
        "what passes, in percent (emulated: 3, 8, 8, 20 and 2; on real memory a median error of throughput of 10)"
    )
    for name, meaning in TOLERANCES.items():
        passing.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="PERCENT", help=meaning)


def _add_results(parser: argparse.ArgumentParser) -> None:
    out = parser.add_argument_group("results")
    out.add_argument("--json", action="store_true", help="results as JSON on standard output")
    out.add_argument("--report", type=Path, metavar="DIR", help="also an HTML page with the plot and every table")
    out.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep finished runs here; an interrupted validation goes on"
    )
    out.add_argument(
        "--dry-run", action="store_true", help="check everything, show what would be run and about how long"
    )


def run(args: argparse.Namespace) -> int:
    """Run both sides, print the comparison; returns 0, or 1 if it does not pass.

    Raises:
        InputError: for a value that is not accepted.
        MissingDependencyError: if the middleware is not built.
    """
    from pmtwin.output import message, print_json
    from pmtwin.pipeline.store import make_folder
    from pmtwin.scenarios.nvm_middleware.figures.report.validation import write_page
    from pmtwin.scenarios.validation import Tolerances
    from pmtwin.validation import medium_of, validated
    from pmtwin.validation_host import watch_of
    from pmtwin.validation_learning import learning_record
    from pmtwin.validation_plan import planned

    found = planned(args)
    medium = medium_of(found.plan.measured["native"])
    changes = {name: getattr(args, name) for name in TOLERANCES if getattr(args, name) is not None}
    tolerances = Tolerances.of(medium, **changes)
    if args.report:
        make_folder(args.report, "--report")
    if args.keep:
        make_folder(args.keep, "--keep")
    if args.learnt:
        make_folder(args.learnt, "--learnt")
    watch, warnings = watch_of(args, found.plan.measured["native"])
    if args.dry_run:
        return _show_plan(args, found, medium, watch)
    _require_native(found.plan)
    record = parameter_record(args) | learning_record(args)
    record["warnings"] += warnings
    for warning in warnings:
        message(f"take care: {warning}")
    with found.plan.measured["native"].own_pool():
        result = validated(
            found.plan,
            args.scenario,
            medium,
            tolerances,
            args.keep,
            found.transfer,
            found.searching,
            args.learnt,
            record,
            watch,
        )
    if args.report:
        message(f"report: {write_page(result, args.report, 'pmtwin validate')}")
    if args.json:
        print_json(result)
    else:
        _print_tables(result)
    return 0 if result["verdict"]["passed"] else 1


def _require_native(plan) -> None:
    """An absent library is an error before the twin has run."""
    from pmtwin.scenarios.validation.runs import MEASURED

    plan.environment(MEASURED, plan.cases[0]).check_engine()


def _show_plan(args: argparse.Namespace, planned, medium: str, watch) -> int:
    from pmtwin.output import flatten, print_json, print_table
    from pmtwin.scenarios.nvm_middleware.figures.experiments.validation import WINDOW_S
    from pmtwin.validation import configuration
    from pmtwin.validation_learning import learning_record

    plan, transfer, searching = planned
    cases = [*plan.cases, *(transfer.policy_cases() if transfer else [])]  # the fixed pools run as long as the policy
    windows = plan.seeds * sum(case.windows + plan.warmup_windows for case in cases)
    value = {"medium": medium, "runs": len(cases) * plan.seeds, "windows": windows}
    if transfer:
        value["search_windows"] = searching.most_windows(transfer.phases)
    if watch is not None:
        value["host_rounds"] = watch.rounds
    if medium == "emulated":
        whole = plan.environment("predicted", plan.cases[0]).twin.requests_per_window / 5000
        minutes = (windows + value.get("search_windows", 0)) * whole * WINDOW_S / 60
        value["minutes_about"] = float(f"{minutes:.2g}")
    value |= configuration(plan)
    if args.json:
        print_json(value | parameter_record(args) | learning_record(args))
    else:
        value.pop("host")
        print_table(flatten(value), header=("setting", "value"))
    return 0


def _print_tables(result: dict) -> None:
    from pmtwin.output import print_table
    from pmtwin.scenarios.nvm_middleware.figures.plots.validation_tables import tables

    verdict = result["verdict"]
    for table in tables(result):
        if table.rows:
            print(table.title)
            print_table(table.rows, table.header)
            print()
    for reason in verdict["reasons"]:
        print(f"- {reason}")
    for warning in verdict["warnings"]:
        print(f"- take care: {warning}")
    print(f"verdict: {verdict['name']}: {verdict['scope']}")
