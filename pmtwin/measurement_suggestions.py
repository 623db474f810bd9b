"""`pmtwin calibrate --prior family --suggest N`: a table of the measurements that would tell most, to be filled in."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

from pmtwin.output import message, print_json
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES

if TYPE_CHECKING:
    from pmtwin.calibrate.context import Context
    from pmtwin.commands.calibrate import Config

COLUMNS = ("operation", "pattern", "access_size_bytes", "threads", "dimms")
RESULT = "bandwidth_mib_s"
IDLE = ("load", "store_clwb")
"""Operations whose idle latency the simulator rests on most."""


def print_suggestions(config: Config) -> None:
    """Print the configurations to measure next as CSV, or with `--json` as objects."""
    from pmtwin.calibrate.measurements import nothing_measured
    from pmtwin.calibrate.prior.design import suggested_configurations
    from pmtwin.calibrate.readers import ReadOptions, read_sources

    if config.sources:
        options = ReadOptions(config.dimms, config.machine, config.media or "")
        measurements, _ = read_sources(config.sources, options)
    else:
        measurements = nothing_measured(config.media or "")
    c = suggested_configurations(measurements, config.suggest, config.most_threads, config.dimms)
    rows = [{name: _plain(getattr(c, name)[index]) for name in COLUMNS} for index in range(len(c))]
    if config.json:
        print_json({"suggested": rows})
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*COLUMNS, RESULT])
    writer.writerows([*row.values(), ""] for row in rows)
    for line in _remarks(measurements.context):
        message(line)


def _remarks(context: Context) -> list[str]:
    measured = {each.operation for each in context.latencies}
    missing = [name for name in IDLE if name not in measured]
    remarks = [f"the most telling measurements first; fill in {RESULT}"]
    if missing:
        what = " and ".join(missing)
        size = f"random accesses of {CACHE_LINE_BYTES:g} B, one thread"
        remarks.append(f"measure the idle latency of {what} too ({size}): column latency_ns")
    return remarks


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else int(value)
