"""Write a policy as a file that steers a middleware in C++, without Python."""

from __future__ import annotations

import argparse
from pathlib import Path

from pmtwin.replacing import add_force

HELP = "a policy as a file that steers a middleware from C++, without Python"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin export`."""
    parser.add_argument("policy", metavar="SPEC", help="none, fixed:I,B, threshold or q-learning:FILE")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.json", help="the file to write")
    add_force(parser)
    parser.add_argument("--latency-goal-us", type=float, metavar="US", help="goal of threshold (200 if omitted)")
    parser.add_argument("--throughput-goal-ops", type=float, metavar="OPS", help="likewise (250000 if omitted)")
    parser.add_argument("--json", action="store_true", help="what was written, as JSON on standard output")


def run(args: argparse.Namespace) -> int:
    """Write the file; returns 0.

    Raises:
        InputError: for a spec that names no policy or one without a form in C++, a goal out of range, a bad path.
    """
    from pmtwin.output import flatten, print_json, print_table
    from pmtwin.policies import PolicyContext, make_policy
    from pmtwin.policies.steering import write_steering
    from pmtwin.replacing import STEERING, check_output
    from pmtwin.scenarios.nvm_middleware.reward import Sla

    check_output(args.output, "--output", STEERING, args.force)
    given = {"latency_goal_us": args.latency_goal_us, "throughput_goal_ops": args.throughput_goal_ops}
    sla = Sla(**{name: goal for name, goal in given.items() if goal is not None})
    goals = {"latency_us": sla.latency_goal_us, "throughput_ops": sla.throughput_goal_ops}
    policy = make_policy(args.policy)
    path = write_steering(args.output, policy, PolicyContext(goals=goals), "--output")
    result = {"policy": policy.spec, "file": str(path), "bytes": path.stat().st_size}
    if args.json:
        print_json(result)
    else:
        print_table(flatten(result))
    return 0
