"""Hold the twin against the real middleware: same policies, workloads, seeds and windows on both; one verdict."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmtwin.twin_options import add_middleware_options, add_twin_options, environment_settings

HELP = "the twin beside the real middleware: errors with intervals, and one verdict"

GRID_42 = "section-4.2"
"""The name of the grid of thesis section 4.2: 42 combinations of pools."""

TOLERANCES = {
    "throughput_median": "median error of throughput",
    "throughput_worst": "worst error of throughput",
    "p99_median": "median error of the p99 of interactive requests",
    "p99_worst": "worst error of it",
    "best_loss": "throughput that the pools which the twin calls best may lose to the best measured",
    "little_share": "windows that may depart from Little's law by more than 10 %%",
    "doubted_share": "windows that the middleware itself may doubt",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin validate`."""
    parser.add_argument("scenario", nargs="?", default="nvm-middleware", help="what is controlled")
    what = parser.add_argument_group("what is run (the grid of section 4.2 if nothing is named)")
    what.add_argument(
        "--grid",
        nargs="+",
        metavar="I,B",
        help=f"fixed pools, or {GRID_42}: its 42 combinations; each in each phase, or under the workload",
    )
    what.add_argument("--policies", nargs="+", default=[], metavar="SPEC", help="policies through a schedule of phases")
    what.add_argument(
        "--learn",
        metavar="FILE[@I,B]",
        help="also a trained policy that goes on learning (online-q); I,B: to fall back to",
    )
    what.add_argument("--phases", type=int, nargs="+", metavar="K", help="phases that take part (all if omitted)")
    what.add_argument("--workload", metavar="NAME", help="of the grid, instead of phases: section-4.2, svd, ...")
    what.add_argument("--windows", type=int, default=10, metavar="N", help="windows of each pair of pools that count")
    what.add_argument("--schedule", default="random", metavar="KIND", help="of --policies: order or random")
    what.add_argument("--steps", type=int, default=200, metavar="N", help="of --policies: windows of a run")
    what.add_argument("--phase-steps", type=int, default=50, metavar="N", help="of --policies: until the phase changes")
    what.add_argument("--warmup-windows", type=int, default=2, metavar="N", help="windows before those that count")
    what.add_argument("--seeds", type=int, default=3, metavar="N", help="independent runs of each")
    what.add_argument("--seed", type=int, default=0, help="root of all random numbers")
    passing = parser.add_argument_group(
        "what passes, in percent (emulated: 3, 8, 8, 20 and 2; on real memory a median error of throughput of 10)"
    )
    for name, meaning in TOLERANCES.items():
        passing.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="PERCENT", help=meaning)
    out = parser.add_argument_group("results")
    out.add_argument("--json", action="store_true", help="results as JSON on standard output")
    out.add_argument("--report", type=Path, metavar="DIR", help="also an HTML page with the plot and every table")
    out.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep finished runs here; an interrupted validation goes on"
    )
    out.add_argument("--dry-run", action="store_true", help="check everything and show what would be run")
    add_middleware_options(parser)
    add_twin_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run both sides, print the comparison; returns 0, or 1 if it does not pass.

    Raises:
        InputError: for a value that is not accepted.
        MissingDependencyError: if the middleware is not built.
    """
    from pmtwin.output import message, print_json
    from pmtwin.pipeline.store import make_folder
    from pmtwin.report.validation import write_page
    from pmtwin.validation import validated
    from scenarios.validation import Tolerances

    plan = _plan(args)
    medium = _medium(plan)
    changes = {name: getattr(args, name) for name in TOLERANCES if getattr(args, name) is not None}
    tolerances = Tolerances.of(medium, **changes)
    if args.report:
        make_folder(args.report)
    if args.dry_run:
        return _show_plan(args, plan, medium)
    _require_native(plan)
    result = validated(plan, args.scenario, medium, tolerances, args.keep)
    if args.report:
        message(f"report: {write_page(result, args.report, 'pmtwin validate')}")
    if args.json:
        print_json(result)
    else:
        _print_tables(result)
    return 0 if result["verdict"]["passed"] else 1


def _plan(args: argparse.Namespace):
    from pmtwin.twin_options import middleware_settings
    from scenarios import check_scenario
    from scenarios.phases import check_phase, phase_numbers
    from scenarios.validation import ValidationPlan, grid_cases, policy_cases
    from scenarios.workloads import make_workload
    from sim.errors import InputError, check_range

    check_scenario(args.scenario)
    for name in ("windows", "steps", "phase_steps"):
        check_range(f"--{name.replace('_', '-')}", getattr(args, name), 1, 10**6)
    check_range("--seed", args.seed, 0, 2**63 - 1)
    phases = tuple(check_phase(phase) for phase in args.phases or phase_numbers())
    settings = environment_settings(args)
    if settings["engine"] == "native":
        raise InputError("--engine", "native", "an engine of the twin: compiled or simpy; the other side is native")
    cases = []
    policies = [*args.policies, *([f"online-q:{args.learn}"] if args.learn else [])]
    if args.grid or not policies:
        if args.workload:
            if args.phases:
                raise InputError("--phases", args.phases, "either phases or --workload, not both")
            make_workload(args.workload)
        cases += grid_cases(_grid(args.grid), args.windows, () if args.workload else phases, args.workload)
    cases += policy_cases(policies, args.schedule, args.steps, args.phase_steps, args.seed, phases)
    plan = ValidationPlan(
        cases=tuple(cases),
        seeds=args.seeds,
        seed=args.seed,
        warmup_windows=args.warmup_windows,
        settings={name: value for name, value in settings.items() if name not in ("engine", "native")},
        predicted={"engine": settings["engine"]},
        measured={"engine": "native", "native": middleware_settings(args)},
    )
    _check_policies(plan)
    return plan


def _grid(words: list[str] | None) -> tuple[tuple[int, int], ...]:
    from figures.published import FIGURE_B1_POOLS
    from pmtwin.twin_options import parse_pools
    from sim.errors import InputError

    if words in (None, [GRID_42]):
        return FIGURE_B1_POOLS
    pools = tuple(parse_pools(word, "--grid") for word in words)
    if None in pools:
        raise InputError("--grid", "none", "pools; no middleware is --policies none")
    return pools


def _check_policies(plan) -> None:
    """Bad specs and settings are errors before anything runs."""
    from policies import make_policy
    from scenarios.validation.runs import PREDICTED

    for case in plan.cases:
        make_policy(case.policy)
    plan.environment(PREDICTED, plan.cases[0])


def _medium(plan) -> str:
    from pmtwin.validation import medium_of

    return medium_of(plan.measured["native"])


def _require_native(plan) -> None:
    from scenarios.validation.runs import MEASURED

    plan.environment(MEASURED, plan.cases[0])  # an absent library or a bad store is an error before the twin has run


def _show_plan(args: argparse.Namespace, plan, medium: str) -> int:
    from pmtwin.output import flatten, print_json, print_table
    from pmtwin.validation import configuration

    runs = len(plan.cases) * plan.seeds
    windows = plan.seeds * sum(case.windows + plan.warmup_windows for case in plan.cases)
    value = {"medium": medium, "runs": runs, "windows": windows, **configuration(plan)}
    if args.json:
        print_json(value)
    else:
        value.pop("host")
        print_table(flatten(value), header=("setting", "value"))
    return 0


def _print_tables(result: dict) -> None:
    from figures.plots.validation import tables
    from pmtwin.output import print_table

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
