"""`pmtwin probe --host`: checks what was asked, measures, writes the file, and prints what it found."""

from __future__ import annotations

import argparse

from pmtwin.host import experiments
from pmtwin.host import probe as host_probe
from pmtwin.output import message, print_json, print_table, progress
from pmtwin.probe.options import new_file
from pmtwin.scenarios.nvm_middleware.native import NativeSettings
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.files import write_json
from pmtwin.sim.parameters import PARAMETERS


def probe_host(args: argparse.Namespace) -> None:
    """Measure the host's parameters and write them to `--output`.

    Raises:
        InputError: for a value that is not accepted.
        MissingDependencyError: the middleware, or the store, is not built.
    """
    for name in ("time", "target_error"):
        if (value := getattr(args, name)) is not None:
            raise InputError(f"--{name.replace('_', '-')}", value, "nothing with --host, whose rounds are fixed")
    if args.resume:
        raise InputError("--resume", True, "nothing with --host, which keeps no journal")
    if args.path and args.store != "pmemkv":
        raise InputError("--path", args.path, "nothing without --store pmemkv, whose pool lies in that folder")
    settings = NativeSettings(store=args.store, path=args.path, pool_mib=args.pool_mib, keys=args.keys)
    host_probe.check_store(settings)
    load_profile(args.profile)
    if args.dry_run:
        print_table([(cell.name,) for cell in experiments.cells(settings.keys)], ("windows of a round",))
        return
    output = new_file(args)
    with progress(description="windows", total=host_probe.steps(settings)) as bar:
        found = host_probe.host_document(settings, args.profile, bar.update)
    write_json(output, found, field="--output")
    if args.json:
        print_json({name: found[name] for name in ("format", "version", "context", "parameters")})
    else:
        print_table([_row(name, entry) for name, entry in found["parameters"].items()], _HEADER)
    message(f"next: pmtwin validate --store {args.store} --host {output} --profile {args.profile} --keys {args.keys}")


_HEADER = ("parameter", "value", "95 % interval", "unit", "origin", "source")


def _row(name: str, entry: dict) -> tuple:
    interval = f"{entry['low']:.4g} to {entry['high']:.4g}" if "low" in entry else ""
    return name, f"{entry['value']:.4g}", interval, PARAMETERS[name].unit, entry["origin"], entry["source"]
