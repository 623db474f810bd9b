"""`pmtwin calibrate --form block`: a file of a block device from runs of fio through the kernel."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin import __version__
from pmtwin.calibrate.block.fit import Checked, fit_block_device
from pmtwin.calibrate.block.intervals import Intervals, bootstrap
from pmtwin.calibrate.block.job import job_file
from pmtwin.calibrate.block.runs import read_block_runs
from pmtwin.config.record import arguments
from pmtwin.console.output import counted, message, print_json, print_table, print_text
from pmtwin.console.overwrite_guard import BLOCK_DEVICE, check_output
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.files.writing import write_json
from pmtwin.sim.hybrid.device_file import SAMPLES, DeviceFile

if TYPE_CHECKING:
    from pmtwin.calibration.config import Config


def run_block(config: Config) -> None:
    """Read the runs, print the parameters and each run beside them, write the file; with `--job` print the job file.

    Raises:
        InputError: for no capacity, runs that do not tell a parameter, or an output file that exists.
    """
    if config.job:
        print(job_file(), end="")
        return
    if config.capacity_gb is None:
        raise InputError("--capacity-gb", None, "capacity of the device in GB, which fio does not tell")
    if config.output:
        check_output(config.output, "--output", BLOCK_DEVICE, config.force)
    runs, dropped = read_block_runs(config.sources)
    message(
        "; ".join([f"read {counted(len(runs), 'usable run')}", *(f"{n} dropped: {why}" for why, n in dropped.items())])
    )
    device, checks = fit_block_device(runs, config.called, config.capacity_gb)
    rows = [_row(check) for check in checks]
    intervals = bootstrap(runs, config.capacity_gb, config.bootstrap, config.seed) if config.bootstrap else None
    fields = {name: value for name, value in asdict(device).items() if name not in ("defaults", "origin")}
    file = DeviceFile(**fields, record=_record(config) | {"runs": rows, "dropped": dropped} | _recorded(intervals))
    if config.dry_run:
        message("would fit, and write nothing")
    elif config.output:
        write_json(Path(config.output), file.document(), "--output")
    if config.json:
        print_json(file.document() | {"output": config.output, "configuration": {"arguments": arguments(config)}})
    else:
        _print_parameters(fields, intervals)
        _print_runs(rows)
    if not config.dry_run:
        message(f"device: {config.output}" if config.output else "nothing was written: -o FILE keeps the device")


def _row(check: Checked) -> dict:
    run, as_percent = check.run, 100.0
    alone = None if check.latency_error is None else as_percent * check.latency_error
    return {
        "job": run.name,
        "sets": check.sets,
        "access_size_bytes": run.size,
        "depth": run.depth,
        "latency_us": run.latency_ns / 1e3,
        "latency_error_percent": alone,
        "accesses_s": run.rate * 1e9,
        "rate_error_percent": as_percent * check.rate_error,
    }


def _record(config: Config) -> dict:
    words = ["pmtwin", "calibrate", *(Path(source).name for source in config.sources), "--form", "block"]
    hashes = [
        {"name": Path(path).name, "sha256": hashlib.sha256(content_of(path, "sources")).hexdigest()}
        for path in config.sources
    ]
    command = shlex.join([*words, "--capacity-gb", f"{config.capacity_gb:g}"])
    return {"command": command, "sources": hashes, "version": __version__}


def _recorded(intervals: Intervals | None) -> dict:
    """Entries of the record: parameter -> ends of its interval, and what they rest on."""
    if intervals is None:
        return {}
    basis = {name: value for name, value in intervals._asdict().items() if name not in ("ends", "samples")}
    ends = {name: list(ends) for name, ends in intervals.ends.items()}
    return {"intervals": ends, "bootstrap": basis, SAMPLES: intervals.samples}


def _print_parameters(fields: dict, intervals: Intervals | None) -> None:
    ends = {} if intervals is None else intervals.ends
    rows = [(name, value, *ends.get(name, ("", ""))) for name, value in fields.items() if value is not None]
    print_table(rows if ends else [row[:2] for row in rows], ("parameter", "", *(("low", "high") if ends else ())))
    if intervals is not None:
        print_text(
            f"low and high: 95 % intervals, bootstrap of {counted(intervals.replicates, 'replicate')} over runs; "
            f"{intervals.repeated} of {counted(intervals.kinds, 'kind')} of runs were measured more than once, others "
            "vary as fio says of the single run: name every job several times for the spread from run to run"
        )
    print()


def _print_runs(rows: Sequence[dict]) -> None:
    header = ("run", "sets", "bytes", "depth", "latency us", "model %", "accesses/s", "model %")
    print_table([tuple("-" if value is None else value for value in row.values()) for row in rows], header)
