"""`pmtwin calibrate --store`: a store file from measured operations of a key-value store, with an error table."""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.calibrate.store.measurements import Measured, read_measured
from pmtwin.config.record import arguments
from pmtwin.console.output import counted, message, print_json, print_table
from pmtwin.console.overwrite_guard import STORE, check_output
from pmtwin.console.progress import progress
from pmtwin.sim.common.number_forms import percent, rounded
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import ConflictError
from pmtwin.sim.files.input_file import content_of

if TYPE_CHECKING:
    from pmtwin.calibrate.store.build import StoreCalibration
    from pmtwin.calibration.config import Config

_OF_DEVICES = ("report", "machine", "dimms", "media", "like", "effects")


def run_store(config: Config) -> None:
    """Read, fit and validate, print the error table, write the store file.

    Raises:
        InputError: for an option of devices, an invalid source or profile, or an output file that exists.
    """
    for name in _OF_DEVICES:
        if value := getattr(config, name):
            raise ConflictError(f"--{name}", value, "does not go with --store; remove one of the two")
    from pmtwin.calibrate.store.build import calibrate_store

    profiles = [load_profile(name) for name in config.store]
    if config.output:
        check_output(config.output, "--output", STORE, config.force)
    measured = read_measured(config.sources)
    if config.dry_run:
        _print_plan(config, measured)
        return
    access = profiles[0].access_profile or {}
    calibration = calibrate_store(
        profiles,
        measured,
        config.called,
        " ".join(filter(None, (access.get("store"), access.get("store_version")))) or "not stated",
        seed=config.seed,
        validate=config.bootstrap > 0,
        jobs=config.jobs,
        progress=_progress,
        record={
            "sources": [
                {"name": Path(path).name, "sha256": hashlib.sha256(content_of(path, "sources")).hexdigest()}
                for path in config.sources
            ],
            "command": _command(config),
        },
    )
    if config.output:
        calibration.store.save(config.output)
    _print_result(config, calibration)
    message(f"store: {config.output}" if config.output else "nothing was written: -o FILE keeps the store")


def _progress(results: Iterable, total: int) -> Iterable:
    message(f"fitting: {counted(total, 'posterior')}, about a minute each")
    return progress(results, desc="posteriors", total=total, unit="fit")


def _command(config: Config) -> str:
    words = ["pmtwin", "calibrate", *(Path(source).name for source in config.sources), "--store", *config.store]
    return shlex.join([*words, "--name", config.called, "--seed", str(config.seed)])


def _print_plan(config: Config, measured: list[Measured]) -> None:
    rows = Counter((each.machine, each.point.operation) for each in measured)
    if config.json:
        table = [{"machine": machine, "operation": name, "rows": count} for (machine, name), count in rows.items()]
        print_json({"measured": table, "beside": list(config.store)})
        return
    print_table([(*key, count) for key, count in rows.items()], ("machine", "operation", "rows"))
    print(f"would fit beside {', '.join(config.store)}")


def _print_result(config: Config, calibration: StoreCalibration) -> None:
    store = calibration.store
    if config.json:
        result = {"fitted": calibration.fitted, "left_out": calibration.left_out, "errors": store.record["errors"]}
        result |= {name: fit.parameters for name, fit in store.fits.items()}
        print_json(result | {"output": config.output, "configuration": {"arguments": arguments(config)}})
        return
    rows = [tuple((errors | {"held": percent(errors["held"])}).values()) for errors in store.record["errors"].values()]
    header = (
        "error of operations per second",
        "points",
        "median %",
        "mean %",
        "worst %",
        "inside 90 %",
        "half-width %",
    )
    print_table([(name, *row) for name, row in zip(store.record["errors"], rows, strict=True)], header)
    for name, fit in store.fits.items():
        print(f"\ninferred beside {name}: median and 90 % interval")
        entries = [
            (key, rounded(e["value"]), f"{rounded(e['low'])} to {rounded(e['high'])}", e["origin"])
            for key, e in fit.parameters.items()
        ]
        print_table(entries, ("parameter", "value", "90 %", "origin"))
