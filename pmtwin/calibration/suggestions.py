"""`pmtwin calibrate --prior family --suggest N`: a table of the most informative measurements, to be filled in."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

from pmtwin.calibrate.measurements import Measurements, group, nothing_measured
from pmtwin.config.record import arguments
from pmtwin.console.output import counted, message, print_json
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES

if TYPE_CHECKING:
    from pmtwin.calibration.config import Config

COLUMNS = ("operation", "pattern", "access_size_bytes", "threads", "dimms")
BANDWIDTH, LATENCY = RESULTS = ("bandwidth_mib_s", "latency_ns")
IDLE = ("load", "store_clwb")
"""Operations whose idle latency is most important for the simulator."""


def print_suggestions(config: Config, count: int) -> None:
    """Print the measurements to take next as CSV, or as objects with `--json`.

    Args:
        config: the options.
        count: number of bandwidths.

    Raises:
        InputError: if the files have no usable measurement, or so many that no prior is needed.
    """
    from pmtwin.calibrate.prior.design import suggested_configurations

    measurements = _measured(config)
    c = suggested_configurations(measurements, count, config.most_threads, config.dimms)
    latencies = {each.operation for each in measurements.context.latencies}
    idle: list[dict[str, object]] = [
        dict(zip(COLUMNS, (name, "random", int(CACHE_LINE_BYTES), 1, int(c.dimms.max(initial=1))), strict=True))
        for name in IDLE
        if name not in latencies
    ]
    rows: list[dict[str, object]] = [
        {name: _plain(getattr(c, name)[index]) for name in COLUMNS} for index in range(len(c))
    ]
    if config.json:
        suggested = [row | {"measure": LATENCY} for row in idle] + [row | {"measure": BANDWIDTH} for row in rows]
        print_json({"suggested": suggested, "configuration": {"arguments": arguments(config)}})
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*COLUMNS, *RESULTS])
    writer.writerows([*row.values(), "", ""] for row in (*idle, *rows))
    if idle:
        first = f"the first {len(idle)} rows" if len(idle) > 1 else "the first row"
        message(f"fill in {LATENCY} of {first}: the latency of an idle device")
    message(f"fill in {BANDWIDTH} of {'the others' if idle else 'the rows'}: the most telling first")


def _measured(config: Config) -> Measurements:
    from pmtwin.calibrate.prior.build import check_few
    from pmtwin.calibrate.readers import ReadOptions, read_sources

    if not config.sources:
        return nothing_measured(config.media or "")
    measurements, _ = read_sources(config.sources, ReadOptions(config.dimms, config.machine, config.media or ""))
    check_few(group(measurements)[0], measurements)
    dropped = "".join(f"; {rows} dropped: {reason}" for reason, rows in sorted(measurements.dropped.items()))
    message(f"read {counted(len(measurements), 'usable row')}{dropped}")
    return measurements


def _plain(value: str | float) -> str | int:
    return str(value) if isinstance(value, str) else int(value)
