"""Fit of the tail of single writes to percentiles over the size of the hot spot (FAST'20, figure 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.calibrate.effect_files import FIGURE_3
from pmtwin.calibrate.effects.rows import cell_number, records
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.device.access_latency import AccessLatency
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.files.csv_table import Table

MEAN_NS = 271.0
"""Mean of a write of one media line with its fence. Assumed: the figure shows no percentile below the 99.99th."""

COLUMNS = {"99.99%": 0.9999, "99.999%": 0.99999}
REGION = "HotspotRegion"
NS_PER_US = 1e3

FITTED = {"write_body_sigma": 0.1, "stall_ns": 50_000.0, "stall_region_bytes": 50_000.0}
"""Fitted parameters and their start values; the frequency of stalls, and their spread, are fixed."""

FOLDS = 5
LOSS_SCALE = 0.02
STEP = 1e-3
"""Relative step of the derivatives, large because quantiles are found to about a nanosecond."""


@dataclass(frozen=True)
class TailRow:
    """Percentiles in ns of writes to a hot spot of this size: probability -> ns."""

    region_bytes: float
    quantiles_ns: dict[float, float]


def tail_rows(tables: Iterable[Table]) -> list[TailRow]:
    """The rows of every table with a column of hot spots; the figure is in microseconds."""
    return [
        TailRow(
            cell_number(row[REGION], REGION, table.place(index)),
            {q: NS_PER_US * cell_number(row[name], name, table.place(index)) for name, q in COLUMNS.items()},
        )
        for table in tables
        if set(table.header) >= FIGURE_3
        for index, row in enumerate(records(table))
    ]


def fit_tail(tail: Tail, rows: Sequence[TailRow]) -> Tail:
    """The tail with spread of the body, length of a stall and size of a hot spot fitted to the rows."""
    from scipy.optimize import least_squares

    def misses(logs: np.ndarray) -> np.ndarray:
        return _errors(_with(tail, logs), rows).ravel()

    start = np.log(list(FITTED.values()))
    solution = least_squares(misses, start, loss="soft_l1", f_scale=LOSS_SCALE, diff_step=STEP, max_nfev=40)
    return _with(tail, solution.x)


def score_tail(tail: Tail, rows: Sequence[TailRow]) -> dict | None:
    """Errors in % at hot spots that the fit had not seen: {"points", "p99.99%": [median, mean, p90], ...}."""
    if len(rows) < FOLDS:
        return None
    errors = np.empty((len(rows), len(COLUMNS)))
    for fold in range(FOLDS):
        training = [row for index, row in enumerate(rows) if index % FOLDS != fold]
        errors[fold::FOLDS] = _errors(fit_tail(tail, training), rows[fold::FOLDS])
    return {"points": len(rows)} | {f"p{name}": ape(errors[:, k]) for k, name in enumerate(COLUMNS)}


def _with(tail: Tail, logs: np.ndarray) -> Tail:
    return replace(tail, **dict(zip(FITTED, np.exp(logs).tolist(), strict=True)))


def _errors(tail: Tail, rows: Sequence[TailRow]) -> np.ndarray:
    """log(predicted / measured), shape (rows, percentiles)."""
    return np.array(
        [
            [
                np.log(float(AccessLatency(MEAN_NS, tail, 1.0, row.region_bytes).quantile(q)) / measured)
                for q, measured in row.quantiles_ns.items()
            ]
            for row in rows
        ]
    )
