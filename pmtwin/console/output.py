"""Output of commands: results on standard output (JSON or a table), progress on standard error."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TextIO

from pmtwin.sim.common.standard_output import results


def print_json(value: object) -> None:
    """Print `value` as indented JSON on standard output.

    Dataclasses become objects, paths strings, numpy scalars and arrays plain numbers and lists.

    Raises:
        ValueError: if it contains NaN or an infinity, which have no JSON form.
        TypeError: for a value of another type without a JSON form.
    """
    with results():
        print(json_text(value), end="")


def json_text(value: object) -> str:
    """The text that `print_json` prints, for files."""
    return json.dumps(value, indent=2, allow_nan=False, default=_plain) + "\n"


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy for commands that have none
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def print_table(
    rows: Iterable[Sequence[object]], header: Sequence[str] | None = None, file: TextIO | None = None
) -> None:
    """Print rows as columns, two spaces apart, with text aligned left and numbers right.

    A column is numeric if all its values are numbers; floats have five significant digits. In a table wider than the
    terminal (or `USUAL_WIDTH` without one), long cells are wrapped.
    """
    rows = [tuple(row) for row in rows]
    if not rows and header is None:
        return
    count = len(header) if header is not None else len(rows[0])
    numeric = [bool(rows) and all(_is_number(row[k]) for row in rows) for k in range(count)]
    lines = [tuple(header)] if header is not None else []
    lines += [tuple(_cell(value) for value in row) for row in rows]
    file = file or sys.stdout
    if hasattr(file, "write_table"):  # a page in place of a terminal
        file.write_table(lines, header is not None, numeric)
        return
    widths = _column_widths(lines, shutil.get_terminal_size((USUAL_WIDTH, 0)).columns)
    for line in lines:
        folded = [_folded(text, width) for text, width in zip(line, widths, strict=True)]
        for parts in zip_longest(*folded, fillvalue=""):
            cells = (parts[k].rjust(widths[k]) if numeric[k] else parts[k].ljust(widths[k]) for k in range(count))
            print("  ".join(cells).rstrip(), file=file)


def informative(rows: Sequence[Sequence[object]], header: Sequence[str]) -> tuple[list[tuple], tuple[str, ...]]:
    """(rows, header) of a table without the columns that are None in all rows."""
    kept = [k for k in range(len(header)) if not rows or any(row[k] is not None for row in rows)]
    return [tuple(row[k] for k in kept) for row in rows], tuple(header[k] for k in kept)


USUAL_WIDTH = 100
"""Width of tables in characters without a terminal."""


def _column_widths(lines: Sequence[Sequence[str]], most: int) -> list[int]:
    """Widths of columns for a table of `most` characters, as far as the longest words permit; the widest shrink."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [max((len(word) for text in column for word in _bound(text).split(" ")), default=0) for column in columns]
    beyond = sum(widths) + 2 * (len(widths) - 1) - most
    for _ in range(beyond):
        spare = [width if width > low else 0 for width, low in zip(widths, least, strict=True)]
        if not any(spare):
            break
        widths[spare.index(max(spare))] -= 1
    return widths


def _folded(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    lines = textwrap.wrap(_bound(text), width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_BOUND, " %") for line in lines]


_BOUND = "\N{NO-BREAK SPACE}%"


def _bound(text: str) -> str:
    """The text with no-break spaces between numbers and percent signs."""
    return text.replace(" %", _BOUND)


def print_text(text: str, indent: str = "") -> None:
    """Print a paragraph in lines of the width of tables; lines after the first begin with `indent`."""
    width = shutil.get_terminal_size((USUAL_WIDTH, 0)).columns
    print(textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.5g}"
    return "-" if value is None else str(value)


def flatten(value: Mapping, prefix: str = "") -> list[tuple[str, object]]:
    """The leaves of nested mappings as (dotted name, value), to print a result as a two-column table."""
    leaves: list[tuple[str, object]] = []
    for key, item in value.items():
        name = f"{prefix}{key}"
        leaves += flatten(item, f"{name}.") if isinstance(item, Mapping) else [(name, item)]
    return leaves


def ends(entry: Mapping) -> tuple[object, object]:
    """Cells for `low` and `high` of an interval, or else for the `range` of the runs, in parentheses, if known."""
    if entry["low"] is None and entry.get("range"):
        low, high = entry["range"]
        return f"({_cell(low)})", f"({_cell(high)})"
    return entry["low"], entry["high"]


def interval_text(entry: Mapping, form: Callable[[float], str], to: str, brackets: str = "") -> str:
    """Text of an interval, such as "[3 to 5]", or of the `range` of the runs in parentheses.

    It is empty without either, and for equal runs.

    Args:
        entry: summary with the interval.
        form: function that writes an end.
        to: text between the ends.
        brackets: opening and closing bracket of an interval; empty for none.
    """
    low, high = entry["low"], entry["high"]
    values: Sequence[float] | None = (low, high)
    if low is None or high is None:
        values, brackets = entry.get("range"), "()"
    text = "" if values is None or math.isclose(*values) else to.join(map(form, values))
    return f"{brackets[:1]}{text}{brackets[1:]}" if text else ""


WIDE = "wide"
"""Mark of an interval that is too wide for conclusions (`is_wide`)."""


def is_wide(entry: Mapping) -> bool:
    """Whether the high end of an interval of a non-negative quantity is far above the low one; not for `range`s."""
    from pmtwin.sim.device.intervals import too_wide  # imports numpy, which help needs not

    return entry["low"] is not None and entry["low"] > 0.0 and bool(too_wide(entry["low"], entry["high"]))


TAIL_HEADER = ("latency", "us", "low", "high", "requests beyond", "note")


def tail_rows(summary: Mapping) -> list[tuple]:
    """Rows below `TAIL_HEADER` for a `sim.LatencyTail.summary`; a dash for percentiles with too few requests beyond."""
    return [
        (name, entry["us"], *ends(entry), entry["requests_beyond"], WIDE if is_wide(entry) else None)
        for name, entry in summary.items()
        if name != "requests"
    ]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 row", "1,200 rows"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def used_rows(bandwidth: int, other: int, both: int = 0) -> str:
    """Text on the usable rows of measurements by kind, for `pmtwin probe` and `pmtwin calibrate`.

    Args:
        bandwidth: number of rows with bandwidth.
        other: number of rows with only other values.
        both: number of rows with bandwidth and other values.
    """
    rows = counted(bandwidth + other, "row")
    text = f"{rows}: {bandwidth:,} of bandwidth, {other + both:,} of latencies, mixes and effects"
    return f"{text} ({counted(both, 'row has', 'rows have')} both)" if both else text


def about(seconds: float) -> str:
    """Text of an estimated duration: "about 40 s", "about 12 min", "about 3 h"."""
    if seconds < 100:
        return f"about {seconds:.0f} s" if seconds >= 1 else "less than a second"
    return f"about {seconds / 60:.0f} min" if seconds < 6000 else f"about {seconds / 3600:.0f} h"


def about_now(seconds: float | None) -> str:
    """Text of a duration that was estimated by a trial, which other work on the machine may have slowed down."""
    return "unknown" if seconds is None else f"{about(seconds)} at the machine's present load"


@contextmanager
def begins_anew() -> Iterator[None]:
    """Context in which an interruption prints that nothing is kept, and that the same command begins anew."""
    try:
        yield
    except KeyboardInterrupt:
        message("nothing is kept of an interrupted measurement of this kind: the same command begins anew")
        raise


def message(text: str) -> None:
    """Print a line on standard error that is neither result nor progress."""
    print(text, file=sys.stderr, flush=True)
