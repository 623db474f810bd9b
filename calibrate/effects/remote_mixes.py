"""Reads and streamed writes from the remote node, by their shares: FAST'20, figure 17.

Four threads that only write keep 44 % of the local bandwidth, and those that only read 91 %. Mixes of four threads keep
17 to 34 %, which no factor on either side explains: a line's owner is written to the directory, in the memory itself.
Mixes of one thread keep 77 to 87 %.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pmtwin.calibrate.effect_files import FIGURE_17
from pmtwin.calibrate.effects.rows import cell_number, records
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.files.csv_table import Table

THREADS = (1, 4)
OPERATION = "ntstore"
OPEN = "access size and pattern, which the figure does not state; more than four threads; which side of a mix pays"


def remote_of_figure_17(tables: Iterable[Table]) -> dict | None:
    """The entry of non-temporal stores; None without the figure's table.

    Its `mixes` are of these stores and reads: time from the remote node over that from the local one, by number of
    threads and share of writes.
    """
    table = next((table for table in tables if set(table.header) >= FIGURE_17), None)
    if table is None:
        return None
    shares, ratios = [], []
    for index, row in enumerate(records(table)):
        shares.append(write_share(row[""]))
        local, remote = (
            [cell_number(row[f"Optane-{node}{threads}"], "Optane", table.place(index)) for threads in THREADS]
            for node in ("", "Remote-")
        )
        ratios.append(np.array(local) / np.array(remote))
    order = np.argsort(shares)
    write_shares, logs = np.array(shares)[order], np.log(np.array(ratios)[order]).T
    factor = float(np.exp(logs[:, -1].mean()))
    return {
        "parameters": {"time_factor": factor},
        "interval_90": {"time_factor": np.exp([logs[:, -1].min(), logs[:, -1].max()]).tolist()},
        "not_identified": [OPEN],
        "fitted_range": [
            {"pattern": "sequential", "threads": [min(THREADS), max(THREADS)], "dimms": [FULL_SET_DIMMS] * 2}
        ],
        "log_half_width": [round(float(np.abs(logs[:, -1] - np.log(factor)).max()), 4)],
        "mixes": {
            "threads": [float(count) for count in THREADS],
            "write_shares": write_shares.tolist(),
            "time_factors": np.exp(logs).tolist(),
            "log_half_width": round(_left_out(write_shares, logs), 4),
        },
        "configurations": logs.size,
    }


def write_share(name: str) -> float:
    """Share of writes of a row: `R` (0), `W` (1), or such as `R:W (3:1)` (0.25)."""
    if ":" not in name:
        return float(name.strip() == "W")
    reads, writes = (float(part) for part in name.partition("(")[2].rstrip(") ").split(":"))
    return writes / (reads + writes)


def _left_out(shares: np.ndarray, logs: np.ndarray) -> float:
    """90th percentile of the errors at inner shares, each interpolated from its neighbours."""
    errors = [
        curve[inner] - np.interp(shares[inner], np.delete(shares, inner), np.delete(curve, inner))
        for curve in logs
        for inner in range(1, shares.size - 1)
    ]
    return float(np.quantile(np.abs(errors), 0.9))
