"""`pmtwin list KIND`: what can be named on the command line, and every parameter with where its value comes from."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable

from pmtwin.output import print_json, print_table
from pmtwin.sim.errors import InputError, unknown_name

HELP = "what can be named: profiles, policies, scenarios, workloads, engines, parameters, figures"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin list`."""
    parser.add_argument(
        "kind", nargs="?", metavar="KIND", help=f"one of {', '.join(KINDS)}; without it, what each kind is"
    )
    parser.add_argument(
        "--host",
        metavar="FILE",
        help="of parameters: with the values that `pmtwin probe --host` measured, and their origin",
    )
    parser.add_argument("--json", action="store_true", help="print the entries as JSON, with every field")


def run(args: argparse.Namespace) -> None:
    """Print the entries of one kind, or which kinds there are.

    Raises:
        InputError: for an unknown kind, or a file that is no host's.
    """
    if args.kind is None:
        _print_kinds(args.json)
        return
    if args.kind not in KINDS:
        raise unknown_name("KIND", args.kind, KINDS)
    if args.host is not None:
        if args.kind != "parameters":
            raise InputError("--host", args.host, "nothing but with parameters")
        entries = _parameters_of(args.host)
    else:
        entries = KINDS[args.kind]()
    if args.json:
        print_json({args.kind: entries})
        return
    columns = _HOST_COLUMNS if args.host else _TABLE_COLUMNS.get(args.kind, tuple(entries[0]))
    print_table(
        [[_TABLE_CELLS.get(column, _as_it_is)(entry[column]) for column in columns] for entry in entries],
        [_TABLE_TITLES.get(column, column) for column in columns],
    )


def _print_kinds(as_json: bool) -> None:
    if as_json:
        print_json({"kinds": list(KINDS)})
    else:
        print_table([(f"pmtwin list {kind}", what) for kind, what in _WHAT.items()])


_WHAT = {
    "profiles": "calibrated devices with their errors (--profile)",
    "policies": "what decides on the pools (--policies, --policy)",
    "scenarios": "what is controlled (evaluate, train, simulate)",
    "workloads": "phases and workloads (--phase, --workload)",
    "engines": "what runs below (--engine)",
    "parameters": "everything that --set changes, with unit, range and source",
    "figures": "figures and tables of the papers (pmtwin figures NAME)",
}
"""What each kind is, and where its names are used."""

_TABLE_COLUMNS = {"parameters": ("name", "default", "low", "high", "unit", "origin", "source")}
"""Where the table shows fewer fields than the JSON: a line must stay readable."""

_HOST_COLUMNS = ("name", "value", "interval_95", "unit", "origin", "source")
"""Of the parameters of a host."""


def _interval_cell(ends: list | None) -> str:
    return f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else "-"


def _as_it_is(value: object) -> object:
    return value


def _errors_cell(errors: dict) -> str:
    """`load 0.8/1.5/3.6`: median, mean and 90th percentile."""
    return ", ".join(f"{name} {'/'.join(f'{value:.1f}' for value in part.values())}" for name, part in errors.items())


def _class_cell(part: dict) -> str:
    """`200 clients, 50 B, 20 % writes, 150,000/s`; a dash for a class without clients."""
    if not part["clients"]:
        return "-"
    rate = f"{part['rate_ops']:,.0f}/s" if part["rate_ops"] else "at once"
    return f"{part['clients']} clients, {part['mean_size_bytes']:.0f} B, {part['write_ratio']:.0%} writes, {rate}"


_TABLE_TITLES = {
    "interval_95": "95 % interval",
    "error_percent": "error of unseen ones in % (median/mean/90th percentile)",
}
"""Columns whose cells need a word more than the field's name."""

_TABLE_CELLS = {
    "interval_95": _interval_cell,
    "error_percent": _errors_cell,
    "interactive": _class_cell,
    "batch": _class_cell,
}
"""Columns whose values are objects in JSON -> how they look in a table."""


def _summary(thing: object) -> str:
    """The first sentence of a docstring, which may be wrapped."""
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n", 1)[0].split())
    return paragraph.split(". ", 1)[0].rstrip(".")


def _profiles() -> list[dict]:
    """With the absolute error in % on what the fit had not seen: bandwidth by operation, mixes, latency under load."""
    from pmtwin.sim.device.profile import load_profile, profile_names

    return [_profile_entry(load_profile(name)) for name in profile_names()]


def _profile_entry(profile) -> dict:
    tables = profile.record.get("errors_percent", {})
    errors = {name: table.get("unseen_configurations", {}).get("predict") for name, table in tables.items()}
    mixes = profile.record.get("errors_percent_mixes") or {}
    errors |= {f"mixes with {operation}": entry["predict"] for operation, entry in mixes.items()}
    errors["latency under load"] = (profile.record.get("errors_percent_latency_under_load") or {}).get("predict")
    known = {name: values for name, values in errors.items() if values}
    return {
        "name": profile.name,
        "device": profile.device,
        "error_percent": {name: dict(zip(_MEASURES, values, strict=True)) for name, values in known.items()},
    }


_MEASURES = ("median", "mean", "p90")


def _policies() -> list[dict]:
    from pmtwin.policies.registry import policy_class, policy_names

    entries = []
    for name in policy_names():
        policy = policy_class(name)
        spec = f"{name}:{policy.argument}" if policy.argument else name
        entries.append({"name": name, "spec": spec, "description": _summary(policy)})
    return entries


def _scenarios() -> list[dict]:
    import gymnasium

    from pmtwin.scenarios import ENVIRONMENT_IDS

    entries = []
    for name, environment in sorted(ENVIRONMENT_IDS.items()):
        made = gymnasium.envs.registration.load_env_creator(gymnasium.spec(environment).entry_point)
        entries.append({"name": name, "environment": environment, "description": _summary(made)})
    return entries


def _workloads() -> list[dict]:
    from pmtwin.scenarios.nvm_middleware.phases import phase_numbers, phase_workload
    from pmtwin.scenarios.nvm_middleware.workloads import make_workload, workload_names
    from pmtwin.sim.workload import CLASSES

    phases = {f"--phase {phase}": phase_workload(phase) for phase in phase_numbers()}
    others = {f"--workload {name}": make_workload(name) for name in workload_names()}
    return [
        {"option": option, **{name: _class_entry(part) for name, part in zip(CLASSES, load.classes, strict=True)}}
        for option, load in (phases | others).items()
    ]


def _class_entry(part) -> dict:
    return {
        "clients": part.clients,
        "mean_size_bytes": round(part.mean_size_bytes(), 1),
        "write_ratio": part.write_ratio,
        "rate_ops": part.rate_ops,
        "interarrival_cov": part.interarrival_cov,
    }


def _engines() -> list[dict]:
    from pmtwin.middleware import native
    from pmtwin.scenarios.nvm_middleware.twin import NATIVE
    from pmtwin.sim.engines import Engine, engine_names

    modules = {engine.name: inspect.getmodule(engine) for engine in Engine.__subclasses__()}
    modules[NATIVE] = native
    return [{"name": name, "description": _summary(modules[name])} for name in (*engine_names(), NATIVE)]


def _parameters() -> list[dict]:
    from dataclasses import asdict

    from pmtwin.sim.parameters import PARAMETERS

    return [asdict(parameter) for parameter in PARAMETERS.values()]


def _parameters_of(path: str) -> list[dict]:
    """As a file of `pmtwin probe --host` has them, with the 95 % intervals of what was measured."""
    from pmtwin.sim.host_file import origins, read_host
    from pmtwin.sim.parameters import PARAMETERS

    host = read_host(path)
    measured = {name: [entry["low"], entry["high"]] for name, entry in host.entries.items() if "low" in entry}
    return [
        entry | {"interval_95": measured.get(entry["name"]), "unit": PARAMETERS[entry["name"]].unit}
        for entry in origins(host)
    ]


def _figures() -> list[dict]:
    from pmtwin.figures.registry import figure, figure_names

    entries = [figure(name) for name in figure_names()]
    return [{"name": entry.name, "title": entry.title, "place": entry.place} for entry in entries]


KINDS: dict[str, Callable[[], list[dict]]] = {
    "profiles": _profiles,
    "policies": _policies,
    "scenarios": _scenarios,
    "workloads": _workloads,
    "engines": _engines,
    "parameters": _parameters,
    "figures": _figures,
}
