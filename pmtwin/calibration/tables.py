"""Tables of a calibration: usable rows, errors of each operation, effects, and parameters that are not identified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmtwin.calibrate.report.effects import ratio_text
from pmtwin.calibrate.report.widths import RESTS_ON, half_width_text
from pmtwin.console.output import counted, print_table, print_text, used_rows
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.device.profile import Profile

if TYPE_CHECKING:
    from pmtwin.calibrate.build import Calibration


def print_calibration(calibration: Calibration, summary: dict) -> None:
    """Print the tables of a calibration.

    Args:
        calibration: the calibration.
        summary: summary of its measurements, see `print_cleaning`.
    """
    record = calibration.profile.record
    print_cleaning(summary)
    print_left_out(calibration.left_out)
    if record["errors_percent"]:
        print("\nabsolute error of bandwidth in %, median / mean / 90th percentile")
        _print_errors(record)
    if record["mixes"]:
        print(f"mixes, {record['mixes']['points']} points, nothing fitted: {_three(record['mixes']['error_percent'])}")
    _print_effects(calibration.profile)
    print_notes(record["notes"])
    print_table([(what,) for what in record["not_identified"]], ("not identified",))


def _print_effects(profile: Profile) -> None:
    record = profile.record
    for name, effect in (profile.effects or {}).items():
        for operation, entry in effect.items():
            if ratio := ratio_text(entry):
                errors = "; from 4 KiB on ".join(_three(part) for part in entry["errors_percent"])
                about = f"{name} of {operation}, {entry['configurations']} configurations"
                print(f"{about}: {ratio} of the plain bandwidth; error of unseen configurations {errors}")
    for operation, entry in (record.get("errors_percent_mixes") or {}).items():
        pure = " and ".join(f"{side}s {ratio:.2f}" for side, ratio in entry["pure_over_predicted"].items())
        errors = f"{_three(entry['predict'])}; with the benchmark's own pure bandwidths"
        errors += f" ({pure} of the predicted ones) {_three(entry['own_ends'])}"
        print(f"mixes with {operation}, {entry['points']} of unseen write ratios: {errors}")
    loaded = record.get("errors_percent_latency_under_load")
    if loaded:
        print(f"latency under load, {loaded['points']} points: {_three(loaded['predict'])}")
    tail = record.get("errors_percent_tail") or {}
    for name in sorted(tail.keys() - {"points"}):
        print(f"{name} of single writes, {tail['points']} hot spots: {_three(tail[name])}")


def print_notes(notes: Sequence[str]) -> None:
    """Print notes about the measurements; warnings are marked."""
    for note in notes:
        print(note if note.startswith("warning: ") else f"note: {note}")


def print_cleaning(summary: dict) -> None:
    """Print numbers of usable rows of the measurements, and reasons for dropped ones."""
    for source in summary["sources"]:
        usable = f"{source['usable']:,} of them with a usable bandwidth"
        print(f"read {source['name']} ({source['reader']}): {counted(source['rows'], 'row')}, {usable}")
    dropped = f"{sum(summary['dropped_rows'].values()):,} dropped"
    print(f"usable: {used_rows(summary['usable_rows'], summary['other_rows'], summary['both_rows'])}; {dropped}")
    if summary["not_read"]:
        print(f"not read, no measurements or a copy: {', '.join(summary['not_read'])}")
    if summary["dropped_rows"]:
        at = summary["dropped_at"]
        rows = [(count, reason, at.get(reason, "-")) for reason, count in summary["dropped_rows"].items()]
        print_table([row[: 2 + bool(at)] for row in rows], ("dropped", "because", "where")[: 2 + bool(at)])
    print(counted(summary["configurations"], "configuration"))


def print_left_out(left_out: dict[str, int]) -> None:
    """Print operations with too few configurations."""
    for operation, count in left_out.items():
        print(f"not fitted: {operation}, only {counted(count, 'configuration')}")


def _print_errors(record: dict) -> None:
    """Print a row of errors for each operation, and one for the noise if anything was measured twice.

    Without replicates, only errors on the fitted data are known.
    """
    header = ("operation", "own data", "unseen configurations", "unseen thread counts", "inside 90 %", "half-width")
    aside = any("unseen_configurations" in table for table in record["errors_percent"].values())
    columns = len(header) if aside else 2
    rows = []
    for operation, table in record["errors_percent"].items():
        unseen, threads = (table.get(key, {}) for key in ("unseen_configurations", "unseen_thread_counts"))
        coverage = table.get("coverage_90")
        rows.append(
            (
                operation,
                _three(table["fit"].get("mechanism")),
                _three(unseen.get("predict")),
                _three(threads.get("predict")),
                percent(coverage["configurations"]) if coverage else "-",
                half_width_text(table) if coverage else "-",
            )
        )
    together = (record["errors_percent_all"] or {}).get("predict")
    if together:
        rows.append(("all operations", "-", _three(together), "-", "-", "-"))
    if record["noise_floor_percent"]:
        rows.append(("replicates", _three(record["noise_floor_percent"]), "-", "-", "-", "-"))
    print_table([row[:columns] for row in rows], header[:columns])
    if aside:
        print_text(RESTS_ON)


def _three(values: list[float] | None) -> str:
    return " / ".join(f"{value:.2f}" for value in values) if values else "-"
