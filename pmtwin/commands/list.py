"""`pmtwin list KIND`: what can be named on the command line, and every parameter with where its value comes from."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable

from pmtwin.output import print_json, print_table
from sim.errors import unknown_name

HELP = "what can be named: profiles, policies, scenarios, workloads, engines, parameters"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin list`."""
    parser.add_argument("kind", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--json", action="store_true", help="print the entries as JSON, with every field")


def run(args: argparse.Namespace) -> None:
    """Print the entries of one kind.

    Raises:
        InputError: for an unknown kind.
    """
    if args.kind not in KINDS:
        raise unknown_name("KIND", args.kind, KINDS)
    entries = KINDS[args.kind]()
    if args.json:
        print_json({args.kind: entries})
        return
    columns = _TABLE_COLUMNS.get(args.kind, tuple(entries[0]))
    print_table([[entry[column] for column in columns] for entry in entries], columns)


_TABLE_COLUMNS = {"parameters": ("name", "default", "low", "high", "unit", "origin", "source")}
"""Where the table shows fewer fields than the JSON: a line must stay readable."""


def _summary(thing: object) -> str:
    """The first sentence of a docstring, which may be wrapped."""
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n", 1)[0].split())
    return paragraph.split(". ", 1)[0].rstrip(".")


def _profiles() -> list[dict]:
    from sim.device.profile import load_profile, profile_names

    profiles = [load_profile(name) for name in profile_names()]
    return [{"name": profile.name, "device": profile.device} for profile in profiles]


def _policies() -> list[dict]:
    from policies.registry import policy_class, policy_names

    entries = []
    for name in policy_names():
        policy = policy_class(name)
        spec = f"{name}:{policy.argument}" if policy.argument else name
        entries.append({"name": name, "spec": spec, "description": _summary(policy)})
    return entries


def _scenarios() -> list[dict]:
    import gymnasium

    from scenarios import ENVIRONMENT_IDS

    entries = []
    for name, environment in sorted(ENVIRONMENT_IDS.items()):
        made = gymnasium.envs.registration.load_env_creator(gymnasium.spec(environment).entry_point)
        entries.append({"name": name, "environment": environment, "description": _summary(made)})
    return entries


def _workloads() -> list[dict]:
    from scenarios.phases import phase_numbers, phase_workload
    from scenarios.workloads import make_workload, workload_names

    loads = [make_workload(name) for name in workload_names()] + [phase_workload(k) for k in phase_numbers()]
    return [_workload_entry(load) for load in loads]


def _workload_entry(load) -> dict:
    entry = {"name": load.name}
    for name, part in zip(("interactive", "batch"), load.classes, strict=True):
        on = part.clients > 0
        entry[f"{name}_clients"] = part.clients
        entry[f"{name}_mean_size_bytes"] = round(part.mean_size_bytes(), 1) if on else None
        entry[f"{name}_write_ratio"] = part.write_ratio if on else None
        entry[f"{name}_rate_ops"] = part.rate_ops if on else None
    return entry


def _engines() -> list[dict]:
    from sim.engines import Engine, engine_names

    classes = {engine.name: engine for engine in Engine.__subclasses__()}
    return [{"name": name, "description": _summary(inspect.getmodule(classes[name]))} for name in engine_names()]


def _parameters() -> list[dict]:
    from dataclasses import asdict

    from sim.parameters import PARAMETERS

    return [asdict(parameter) for parameter in PARAMETERS.values()]


KINDS: dict[str, Callable[[], list[dict]]] = {
    "profiles": _profiles,
    "policies": _policies,
    "scenarios": _scenarios,
    "workloads": _workloads,
    "engines": _engines,
    "parameters": _parameters,
}
