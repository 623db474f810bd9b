"""The options by which `pmtwin validate` lets a policy learn while it runs."""

from __future__ import annotations

import argparse

from pmtwin.policies import make_policy
from pmtwin.policies.online_limits import LIMITS, read_limit
from pmtwin.sim.errors import InputError

OPTIONS = {"bounds": "learn_bounds", "step": "learn_step"}
"""Option of a limit; the others have the limit's name."""


def learning_specs(args: argparse.Namespace) -> list[str]:
    """The policy of `--learn` with its limits, or nothing.

    Raises:
        InputError: for a limit that is not accepted, or one without `--learn`.
    """
    limits = []
    for name in LIMITS:
        chosen = OPTIONS.get(name, name)
        value, option = getattr(args, chosen), f"--{chosen.replace('_', '-')}"
        if value is not None:
            if not args.learn:
                raise InputError(option, value, "only with --learn")
            read_limit(name, value, option)
            limits.append(f"{name.replace('_', '-')}={value}")
    if not args.learn:
        return []
    joined = ("+" if "@" in args.learn else "@") + "+".join(limits) if limits else ""
    return [f"online-q:{args.learn}{joined}"]


def learning_record(args: argparse.Namespace) -> dict:
    """For the record of a run: `learning`, spec -> limits; empty without `--learn`."""
    return {"learning": {spec: make_policy(spec).limits.to_dict() for spec in learning_specs(args)}}
