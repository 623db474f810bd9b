"""Output of `pmtwin calibrate` for a device: the plan of a dry run, and the result as tables or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmtwin.calibrate.disturbed import kept_share
from pmtwin.calibrate.measurements import Configurations, Measurements
from pmtwin.calibrate.readers.plausibility import places_text
from pmtwin.calibration.tables import print_calibration, print_cleaning, print_left_out, print_notes
from pmtwin.config.record import arguments
from pmtwin.console.output import print_json
from pmtwin.sim.device.law import OPERATIONS

if TYPE_CHECKING:
    from pmtwin.calibrate.build import Calibration
    from pmtwin.calibration.config import Config


def _summary(measurements: Measurements, configurations: int, skipped: list[str]) -> dict:
    places = measurements.dropped.places
    return {
        "sources": [vars(source) for source in measurements.sources],
        "not_read": skipped,
        "usable_rows": len(measurements),
        "other_rows": measurements.context.other_rows,
        "both_rows": measurements.context.both_rows,
        "dropped_rows": dict(sorted(measurements.dropped.items())),
        "kept_share": round(kept_share(measurements), 4),
        "dropped_at": {reason: places_text(places[reason]) for reason in sorted(places)},
        "configurations": configurations,
    }


def print_plan(
    measurements: Measurements, configurations: Configurations, skipped: list[str], prior: str, as_json: bool
) -> None:
    """Print the plan of a dry run: usable rows, and the operations and effects to fit."""
    from pmtwin.calibrate.build import plan

    if prior == "family":
        from pmtwin.calibrate.prior.build import check_few

        check_few(configurations, measurements)
        fitted = list(OPERATIONS)
        left_out: dict[str, int] = {}
    else:
        fitted, left_out = plan(configurations, measurements.dropped)
    summary = _summary(measurements, len(configurations), skipped)
    if as_json:
        print_json(summary | {"would_fit": fitted, "too_few_configurations": left_out})
        return
    print_cleaning(summary)
    print(f"would fit: {', '.join(fitted)}")
    print_left_out(left_out)
    print_notes(measurements.context.notes)


def print_result(config: Config, calibration: Calibration, skipped: list[str]) -> None:
    """Print the tables of a calibration, or all of it as JSON with `--json`."""
    record = calibration.profile.record
    summary = _summary(calibration.measurements, record["configurations"], skipped)
    if config.json:
        keys = ["noise_floor_percent", "errors_percent", "mixes", "not_identified", "notes", "published"]
        keys += ["prior"] if "prior" in record else []
        keys += ["errors_percent_mixes", "errors_percent_latency_under_load", "errors_percent_tail"]
        keys += ["parameters", "seed", "bootstrap", "command", "versions"]
        left_out = {"too_few_configurations": calibration.left_out}
        result = summary | left_out | {key: record.get(key) for key in keys} | {"output": config.output}
        print_json(result | {"configuration": {"arguments": arguments(config)}})
        return
    print_calibration(calibration, summary)
