"""Table 1 with one thing assumed otherwise at a time, a row each."""

from __future__ import annotations

from pmtwin.figures.drawing.rendered import Cell, Rendered, Table
from pmtwin.scenarios.numa_threads.figures.plots.table_1 import SHARES, errors_percent, times
from pmtwin.scenarios.numa_threads.published import TABLE_1


def render(results: dict) -> Rendered:
    """A row for each thing that is assumed otherwise, below the published one."""
    groups: dict[str, list[dict]] = {}
    for run in results["far-controls"]["runs"]:
        groups.setdefault(run["control"], []).append(run)
    published = [round(TABLE_1[share] / TABLE_1[0], 3) for share in SHARES[1:]]
    rows: list[tuple[Cell, ...]] = [("published", TABLE_1[0], *published, None)]
    for name, part in groups.items():
        real_s = times(part)[0][0]
        ratios = [round(float(each), 3) for each in real_s[1:] / real_s[0]]
        rows.append((name, round(float(real_s[0]), 1), *ratios, round(float(errors_percent(real_s).mean()), 1)))
    header = ("assumed", "at 0 % (s)", *(f"ratio at {share} %" for share in SHARES[1:]), "mean error of ratios (%)")
    note = "By mean values, with the profile itself. One thing differs at a time; none is chosen by what it gives."
    return Rendered(
        [], [Table("numa-table-1-controls", "Table 1 with one thing assumed otherwise", header, rows, note)]
    )
