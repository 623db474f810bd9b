"""Set policies against one another over a schedule of phases and several seeds."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmtwin.replacing import EVALUATION, SERIES, add_force, check_output
from pmtwin.twin_options import (
    add_device_options,
    add_doubt_option,
    add_middleware_options,
    add_twin_options,
    doubted_share,
    doubts_exit_code,
    environment_settings,
    parameter_record,
    refuse_middleware_options,
)

HELP = "compare policies over changing phases, several seeds each, with intervals"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin evaluate`."""
    parser.add_argument("scenario", help="what is controlled: nvm-middleware")
    parser.add_argument(
        "--policies",
        nargs="+",
        required=True,
        metavar="SPEC",
        help="none, fixed:I,B, random, threshold, best-fixed, q-learning:FILE, online-q:FILE[@I,B], or "
        "package.module:Class",
    )
    parser.add_argument("--schedule", default="random", metavar="KIND", help="order of the phases: order or random")
    parser.add_argument("--steps", type=int, default=4000, metavar="N", help="windows of a run")
    parser.add_argument("--phase-steps", type=int, default=200, metavar="N", help="windows until the phase changes")
    parser.add_argument("--phases", type=int, nargs="+", metavar="K", help="phases that take part (all if omitted)")
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="independent runs of each policy")
    parser.add_argument("--seed", type=int, default=0, help="root of all random numbers")
    parser.add_argument("--jobs", type=int, metavar="N", help="worker processes (one per core); same results")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write the JSON to a file")
    add_force(parser)
    parser.add_argument("--series", type=Path, metavar="FILE.npz", help="every step of every run, as arrays")
    parser.add_argument("--dry-run", action="store_true", help="check everything and show what would be run")
    add_device_options(parser)
    add_twin_options(parser)
    add_middleware_options(parser)
    add_doubt_option(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate and print; returns 0, or 1 if the middleware doubts too many of its windows."""
    from pmtwin.output import json_text, print_json
    from pmtwin.policies import PolicyContext, make_policy
    from pmtwin.scenarios.evaluation import evaluate
    from pmtwin.scenarios.evaluation_summary import summarise
    from pmtwin.scenarios.series import write_series
    from pmtwin.sim.files import write_atomically

    plan, most_doubted = _plan(args), doubted_share(args)
    for spec in plan.policies:
        make_policy(spec)
    for path, option, kind in ((args.output, "--output", EVALUATION), (args.series, "--series", SERIES)):
        if path:
            check_output(path, option, kind, args.force)
    if args.dry_run:
        _print(_configuration(args, plan) | {"windows": plan.windows()}, args.json)
        return 0
    found = evaluate(plan, make_policy, PolicyContext, _jobs(args), _progress)
    result = _configuration(args, plan) | summarise(found, most_doubted)
    result["extrapolated"] &= _uses_profile(args)
    result["configuration"] |= parameter_record(args)
    if args.series:
        write_series(args.series, found)
    if args.output:
        write_atomically(args.output, lambda file: file.write(json_text(result)), field="--output")
    if args.json:
        print_json(result)
    else:
        _print_tables(result)
    return doubts_exit_code(result["doubts"])


def _plan(args: argparse.Namespace):
    from pmtwin.scenarios import check_scenario
    from pmtwin.scenarios.evaluation import EvaluationPlan
    from pmtwin.scenarios.nvm_middleware.phases import phase_numbers
    from pmtwin.sim.errors import check_range

    check_scenario(args.scenario)
    check_range("--jobs", _jobs(args), 1, 1024)
    if args.engine != "native":
        refuse_middleware_options(args)
    return EvaluationPlan(
        policies=tuple(args.policies),
        schedule=args.schedule,
        steps=args.steps,
        phase_steps=args.phase_steps,
        seeds=args.seeds,
        seed=args.seed,
        phases=tuple(args.phases or phase_numbers()),
        settings=environment_settings(args),
    )


def _uses_profile(args: argparse.Namespace) -> bool:
    """Whether anything rests on the profile: not the real middleware over memory of this machine."""
    return args.engine != "native" or args.store == "emulated"


def _jobs(args: argparse.Namespace) -> int:
    from pmtwin import machine

    if args.engine == "native":
        return 1  # two middlewares at once would fight for the processors, and measure that
    return max(1, int(machine.cpu()["usable_threads"])) if args.jobs is None else args.jobs


def _configuration(args: argparse.Namespace, plan) -> dict:
    """What makes the run repeatable."""
    from pmtwin import __version__
    from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv

    env = NvmMiddlewareEnv(**plan.settings)
    return {
        "schema_version": 1,
        "scenario": args.scenario,
        "version": __version__,
        "engine": env.twin.engine,
        "configuration": {
            "policies": list(plan.policies),
            "schedule": plan.schedule,
            "steps": plan.steps,
            "phase_steps": plan.phase_steps,
            "phases": list(plan.phases),
            "seeds": plan.seeds,
            "seed": plan.seed,
            "offered_ops": dict(zip(("interactive", "batch"), env.rates_ops, strict=True)),
            "twin": {name: value for name, value in env.twin.to_dict().items() if name not in ("engine", "mode")},
            "reward": env.reward_parameters.to_dict(),
        },
    }


def _progress(description: str, total: int, results):
    """A bar on standard error; where that is not a terminal, one line when it begins."""
    import sys

    from pmtwin.output import counted, message, progress

    if not sys.stderr.isatty():
        message(
            f"{description}: {counted(total, *(('search', 'searches') if description == 'best fixed' else ('run',)))}"
        )
    return progress(results, description=description, total=total, unit="run")


def _print(value: dict, as_json: bool) -> None:
    from pmtwin.output import flatten, print_json, print_table

    if as_json:
        print_json(value)
    else:
        print_table(flatten(value), header=("setting", "value"))


def _print_tables(result: dict) -> None:
    from pmtwin.output import TAIL_HEADER, print_table, tail_rows
    from pmtwin.scenarios.notes import sentences

    parts = [
        (spec, where, part)
        for spec, found in result["policies"].items()
        for where, part in (("all", found["overall"]), *found["phases"].items())
    ]
    ends = ("low", "high")
    header = ("policy", "phase", "reward", *ends, "runs", "q1", "median", "q3")
    print_table([_reward_row(*part) for part in parts], header)
    print()
    header = ("policy", "phase", "p99_us", *ends, "throughput_ops", *ends, "sla", *ends)
    print_table([_goal_row(*part) for part in parts], header)
    print()
    tails = {spec: found["overall"]["latency"] for spec, found in result["policies"].items()}
    print_table([(spec, *row) for spec, tail in tails.items() for row in tail_rows(tail)], ("policy", *TAIL_HEADER))
    print()
    rows = [
        (pair["policy"], pair["against"], where, part["difference"], part["low"], part["high"], part["apart"])
        for pair in result["comparisons"]
        for where, part in (("all", pair["overall"]), *pair["phases"].items())
    ]
    if rows:
        print_table(rows, ("policy", "against", "phase", "difference", "low", "high", "apart"))
        print()
        _print_devices(result["comparisons"])
    for phase, best in result.get("best_fixed", {}).items():
        interactive, batch = best["pools"]
        print(f"phase {phase}: best fixed pools {interactive},{batch}, reward {best['reward']['mean']:.5g}")
    for spec, found in result["policies"].items():
        for run, of in enumerate(found["notes"]):
            print(*sentences(f"{spec}, run {run}", of), sep="\n", end="\n" if of else "")
    print(f"intervals of means and percentiles: {result['interval']}")
    if result["extrapolated"]:
        print("extrapolated: some accesses lie outside what the device profile was fitted on")


def _print_devices(comparisons: list[dict]) -> None:
    """How a difference varies from device to device, where devices were sampled."""
    from pmtwin.output import print_table

    rows = [
        (pair["policy"], pair["against"], where, found["count"], found["low"], found["high"], found["above_zero"])
        for pair in comparisons
        for where, part in (("all", pair["overall"]), *pair["phases"].items())
        if (found := part.get("devices"))
    ]
    if rows:
        print_table(rows, ("policy", "against", "phase", "devices", "5 % of them", "95 % of them", "ahead on"))
        print()


def _reward_row(spec: str, where: str, part: dict) -> tuple:
    reward = part["reward"]
    quarters = (reward["percentiles"][name] for name in ("25", "50", "75"))
    return (spec, where, *_mean(reward), part["runs"], *quarters)


def _goal_row(spec: str, where: str, part: dict) -> tuple:
    names = ("p99_us", "throughput_ops", "sla_attainment")
    return (spec, where, *(value for name in names for value in _mean(part[name])))


def _mean(found: dict) -> tuple:
    return found["mean"], found["low"], found["high"]
