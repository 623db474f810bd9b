"""The options of `pmtwin predict`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.shared import CommandConfig, DryRun, Printed
from pmtwin.prediction.point import OPTIONS, check_point, size_bytes
from pmtwin.sim.device.interval_kinds import INTERVALS, REPEAT
from pmtwin.sim.device.points import known_columns
from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.load.workload import OPERATIONS
from pmtwin.sim.options import option
from pmtwin.sim.regression.file import regression_names
from pmtwin.sim.store import points as store_points
from pmtwin.sim.store.file import DEFAULT_STORE

EXAMPLES = (
    "pmtwin predict --operation load --pattern random --threads 8 --size 4KiB",
    "pmtwin predict points.csv --profile my-device.json --csv",
)

DESCRIPTION = f"""Predicts one point, as with --operation load --pattern random --size 4KiB --threads 8, or each row
of a table. A row is an access (operation load, ntstore, store_clwb, store or mixed), a key-value operation
({", ".join(OPERATIONS)}; columns {", ".join(store_points.REQUIRED)},
optional {", ".join(store_points.OPTIONAL)}), or, with --regression, the variables of a regression.

A value that the profile cannot answer stays empty, and standard error names the line. The ends of an interval stay
empty where the profile knows no error. The output is a short table for a single point, on a terminal and with
--columns; otherwise it is CSV with all columns. The columns are explained in docs/calibrate-a-device.md, those of
key-value operations in docs/store.md."""

STANDARD_INPUT = "-"
POINT_OPTIONS = ("profile", "store", "operation", "pattern", "size", "threads", "dimms", "also", "strict")
"""Options that do not go with a regression."""

CSV = "comma-separated values (CSV), whose first line names"
POINTS_FORM = (
    f"{CSV} the columns operation, pattern, access_size_bytes, threads (accesses) or "
    f"{', '.join(store_points.REQUIRED)} (key-value operations)"
)


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Printed, DryRun):
    """Options of `pmtwin predict`.

    Raises:
        InputError: for neither a point nor a table, both of them, or two forms of output.
    """

    command: ClassVar[str] = "predict"
    everyday: ClassVar[tuple[str, ...]] = (
        "profile",
        "interval",
        "operation",
        "pattern",
        "size",
        "threads",
        "dimms",
        "also",
        "store",
        "columns",
        "csv",
        "json",
    )
    points: str | None = option(
        None,
        f"columns {', '.join(known_columns())}; or the columns of key-value operations; -: standard input",
        metavar="POINTS",
        positional=True,
    )
    profile: str = option(DEFAULT_PROFILE, "device profile", metavar="P")
    interval: str = option(
        REPEAT,
        "meaning of the intervals: the same campaign repeated (repeat), another session or machine of the same kind "
        "(campaign), another device of the family (device)",
        choices=INTERVALS,
    )
    store: str | None = option(
        None, f"key-value store model, for key-value operations (default: {DEFAULT_STORE})", metavar="STORE"
    )
    regression: str | None = option(
        None,
        f"regression: a file, or {', '.join(regression_names())}",
        metavar="NAME",
        excludes=POINT_OPTIONS,
    )
    operation: str | None = option(
        None, f"operation: load, ntstore, store_clwb, store or mixed; of a store, with --also: {', '.join(OPERATIONS)}",
        metavar="NAME",
    )  # fmt: skip
    pattern: str | None = option(None, "access pattern: random or sequential", metavar="NAME")
    size: str | None = option(
        None,
        "access size, such as 256, 4KiB, 1MiB; several points: rows of POINTS.CSV",
        metavar="BYTES",
        flag="--size",
        parse=size_bytes,
    )
    threads: str | None = option(None, "number of threads; several points: rows of POINTS.CSV", metavar="N")
    dimms: str | None = option(None, "number of interleaved modules (default: the profile's)", metavar="N")
    also: tuple[str, ...] = option((), "other columns of the point, such as power_w=15", metavar="COLUMN=VALUE")
    columns: tuple[str, ...] = option(
        (), "columns of the printed table, such as bandwidth latency_p99 read_latency", metavar="NAME"
    )
    csv: bool = option(False, "print all columns as CSV", recorded=False)
    strict: bool = option(False, "reject the whole table if the profile cannot answer one row")

    def __post_init__(self):
        super().__post_init__()
        if self.points is None and not self.given:
            raise InputError("points", None, "a file of points, or a point: --operation, --pattern, --size, --threads")
        if self.points is None:
            check_point(self.given, self.also)
        if self.points is not None and (self.given or self.also):
            name = next(iter(self.given), "also")
            value = self.given.get(name, self.also)
            raise ConflictError(
                OPTIONS.get(name, name),
                value,
                f"does not go with the file of points {self.points!r}; remove one of the two",
            )
        forms = [name for name in ("columns", "csv", "json") if getattr(self, name)]
        if len(forms) > 1:
            raise ConflictError(forms[0], True, f"does not go with --{forms[1]}; remove one of the two")

    @property
    def given(self) -> dict[str, str]:
        """Column -> cell of the point on the command line."""
        cells = {
            "operation": self.operation,
            "pattern": self.pattern,
            "access_size_bytes": self.size,
            "threads": self.threads,
            "dimms": self.dimms,
        }
        return {name: cell for name, cell in cells.items() if cell is not None}
