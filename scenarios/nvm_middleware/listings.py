"""Listings of the thread-pool scenario for `pmtwin list`: its workloads, engines and model parameters."""

from __future__ import annotations

import inspect
from dataclasses import asdict
from typing import TYPE_CHECKING

from pmtwin.scenarios.listing import Listing, summary
from pmtwin.sim.common.number_forms import percent, rounded
from pmtwin.sim.parameters.values import PARAMETERS

if TYPE_CHECKING:
    from pmtwin.sim.load.workload import ClassWorkload


def _workloads() -> list[dict]:
    from pmtwin.scenarios.nvm_middleware.phases import phase_numbers, phase_workload
    from pmtwin.scenarios.nvm_middleware.workloads import make_workload, workload_names
    from pmtwin.sim.load.workload import CLASSES

    entries: list[dict] = []
    phases = {f"--phase {phase}": phase_workload(phase) for phase in phase_numbers()}
    others = {f"--workload {name}": make_workload(name) for name in workload_names()}
    loads = phases | others
    for option, load in loads.items():
        parts = {name: _class_entry(part) for name, part in zip(CLASSES, load.classes, strict=True)}
        alike = next(name for name, known in loads.items() if known.classes == load.classes)
        entries.append({"option": option, **parts, "same_as": None if alike == option else alike})
    return entries


def _class_entry(part: ClassWorkload) -> dict:
    return {
        "clients": part.clients,
        "mean_size_bytes": round(part.mean_size_bytes(), 1),
        "write_ratio": part.write_ratio,
        "rate_ops": part.rate_ops,
        "interarrival_cov": part.interarrival_cov,
        "gets_per_read": part.gets_per_read,
        "gets_per_write": part.gets_per_write,
    }


def _class_cell(part: dict) -> str:
    """`200 clients, 50 B, 20 % writes, 150,000/s`, and records of a scan; a dash for a class without clients."""
    if not part["clients"]:
        return "-"
    rate = f"{part['rate_ops']:,.0f}/s" if part["rate_ops"] else "at once"
    size, writes = f"{part['mean_size_bytes']:.0f} B", f"{percent(part['write_ratio'], 0)} writes"
    text = f"{part['clients']} clients, {size}, {writes}, {rate}"
    text += f", scans of {part['gets_per_read']:g} records on average" if part["gets_per_read"] != 1.0 else ""
    return text + (", a read before each write" if part["gets_per_write"] else "")


def _same_cell(option: str | None) -> str | None:
    return None if option is None else f"in the twin as {option.split()[-1]}: only keys differ, of which it has none"


def _engines() -> list[dict]:
    from pmtwin.middleware import native
    from pmtwin.scenarios.nvm_middleware.model.engines import engine_class, engine_names
    from pmtwin.scenarios.nvm_middleware.twin import NATIVE

    modules = {name: inspect.getmodule(engine_class(name)) for name in engine_names()} | {NATIVE: native}
    return [{"name": name, "description": summary(module)} for name, module in modules.items()]


def _parameters() -> list[dict]:
    return [asdict(parameter) for parameter in PARAMETERS.values()]


def _parameters_of(path: str) -> list[dict]:
    """Parameters of a file of `pmtwin probe --host`, with the 95 % intervals of the measured ones."""
    from pmtwin.sim.host.file import origins, read_host

    host = read_host(path)
    entries = host.entries if host else {}
    measured = {name: [entry["low"], entry["high"]] for name, entry in entries.items() if "low" in entry}
    return [
        entry | {"interval_95": measured.get(entry["name"]), "unit": PARAMETERS[entry["name"]].unit}
        for entry in origins(host)
    ]


def _interval_cell(ends: list | None) -> str:
    return " to ".join(map(rounded, ends)) if ends else "-"


LISTINGS = {
    "workloads": Listing(
        "phases and workloads (--phase, --workload)",
        _workloads,
        titles={"same_as": "note"},
        cells={"interactive": _class_cell, "batch": _class_cell, "same_as": _same_cell},
    ),
    "engines": Listing("what runs below (--engine)", _engines),
    "parameters": Listing(
        "everything that --set changes, with unit and source (--json: range)",
        _parameters,
        columns=("name", "default", "unit", "origin", "source"),
        titles={"interval_95": "95 % interval"},
        cells={"interval_95": _interval_cell},
        measured=_parameters_of,
        measured_columns=("name", "value", "interval_95", "unit", "origin", "source"),
        note="these are the defaults of --host assumed; commands take --host inferred unless another is named: "
        "pmtwin list parameters --host inferred",
    ),
}
