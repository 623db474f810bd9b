"""Withheld trials: calibrate without a part of the measurements, then predict that part from the profile.

What `pmtwin calibrate` says about itself (`record.errors_percent`) comes from inside one calibration. A trial comes
from outside: the withheld rows are removed from the measurements first, everything is done again without them (fit,
folds, residual, intervals), the profile is saved and loaded, and it predicts what it has never seen.

    python -m tests.studies.trial lattester_bandwidth.csv --withhold 0.1 --counts 5,16 --seed 1 --trials 4
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.measurements import Configurations, Measurements, group
from pmtwin.calibrate.validation import ape
from pmtwin.sim.device import OPERATIONS, Profile, load_profile
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.errors import InputError, PmtwinError, check_range

CONFIGURATIONS, THREAD_COUNTS, BEYOND = "unseen configurations", "unseen thread counts", "extrapolated"
KINDS = (CONFIGURATIONS, THREAD_COUNTS, BEYOND)
"""Of what was withheld; extrapolated is what lies outside the rest, such as the largest thread count of its kind."""

REPLICATES = 2
"""Of the bootstrap: bandwidths and their intervals do not depend on how many there are."""


@dataclass(frozen=True)
class Withheld:
    """What a profile predicted of the configurations that were withheld from it, arrays of shape (configurations,).

    Args:
        configurations: with their measured bandwidths.
        kind: which of `KINDS` each is.
        log_error: log(predicted / measured).
        log_half_width: of the 90 % interval.
    """

    configurations: Configurations
    kind: np.ndarray
    log_error: np.ndarray
    log_half_width: np.ndarray


def run_trial(
    measurements: Measurements, withhold: float, counts: Sequence[float], seed: int, jobs: int = -1
) -> Withheld:
    """Calibrate without a share of the configurations, and without all those of some thread counts.

    Args:
        withhold: share of all configurations, 0 to 0.5.
        counts: numbers of threads that are withheld whole.
        seed: of the drawn configurations and of the calibration.

    Raises:
        InputError: a number out of range, nothing withheld, or too little left.
    """
    check_range("withhold", withhold, 0.0, 0.5)
    configurations, index = group(measurements)
    of_count = np.isin(configurations.threads, np.asarray(counts, dtype=float))
    drawn = np.random.default_rng(seed).random(len(configurations)) < withhold
    aside = of_count | drawn
    if not np.any(aside):
        raise InputError("withhold", withhold, "a share, or thread counts, that leave something to predict")
    built = calibrate(measurements.take(~aside[index]), "trial", "withheld", seed, bootstrap=REPLICATES, jobs=jobs)
    withheld = configurations.take(aside)
    kind = np.where(of_count[aside], THREAD_COUNTS, CONFIGURATIONS)
    known = np.isin(withheld.operation, list(built.profile.parameters))
    return _predicted(_as_loaded(built.profile), withheld.take(known), kind[known])


def _as_loaded(profile: Profile) -> Profile:
    """As a user gets it: rounded, checked and read from its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.json"
        profile.save(path)
        return load_profile(path)


def _predicted(profile: Profile, c: Configurations, kind: np.ndarray) -> Withheld:
    columns = ("operation", "pattern", "access_size_bytes", "threads", "dimms", "power_w")
    points = {name: getattr(c, name) for name in columns}
    predicted = predict(profile, points | {"write_operation": np.full(len(c), "")})
    kind = np.where(predicted["extrapolated"], BEYOND, kind)
    middle, high = predicted["bandwidth_mib_s"], predicted["bandwidth_high_mib_s"]
    return Withheld(c, kind, np.log(middle / c.bandwidth_mib_s), np.log(high / middle))


def summary(trials: Sequence[Withheld]) -> list[dict]:
    """One entry for each operation and kind, over all trials together.

    Returns:
        `operation`, `kind`, `points`, `error_percent` ([median, mean, 90th percentile]), `inside_90` (share inside the
        interval), `half_width_percent` (median), `half_width_over_error` (of the medians).
    """
    operation, kind, error, half = (
        np.concatenate(parts)
        for parts in zip(
            *((t.configurations.operation, t.kind, t.log_error, t.log_half_width) for t in trials), strict=True
        )
    )
    entries = []
    for name in OPERATIONS:
        for of in KINDS:
            here = (operation == name) & (kind == of)
            if np.any(here):
                entries.append({"operation": name, "kind": of, **_scores(error[here], half[here])})
    return entries


def _scores(error: np.ndarray, half: np.ndarray) -> dict:
    width = 100.0 * float(np.median(half))
    of_error = 100.0 * float(np.median(np.abs(np.expm1(error))))
    return {
        "points": error.size,
        "error_percent": ape(error),
        "inside_90": round(float(np.mean(np.abs(error) <= half)), 3),
        "half_width_percent": round(width, 2),
        "half_width_over_error": round(width / of_error, 2) if of_error else None,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trials of the command line and print their summary."""
    from tqdm import tqdm

    from pmtwin.calibrate.readers import read_sources

    args = _parser().parse_args(arguments)
    try:
        counts = _counts(args.counts)
        check_range("--trials", args.trials, 1, 1000)
        check_range("--seed", args.seed, 0, 2**32)
        measurements, _ = read_sources(args.sources)
        seeds = tqdm(range(args.seed, args.seed + args.trials), unit="trial", disable=None, file=sys.stderr)
        trials = [run_trial(measurements, args.withhold, counts, seed, args.jobs) for seed in seeds]
    except PmtwinError as error:
        print(f"tests.studies.trial: {error}", file=sys.stderr)
        return error.exit_code
    for entry in summary(trials):
        print(json.dumps(entry) if args.json else _line(entry))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.studies.trial", description=__doc__.partition("\n\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="file of measurements, or folder of such files")
    parser.add_argument("--withhold", type=float, default=0.1, help="share of the configurations (default 0.1)")
    parser.add_argument("--counts", default="", metavar="N,N", help="thread counts that are withheld whole")
    parser.add_argument("--seed", type=int, default=0, help="of the first trial")
    parser.add_argument("--trials", type=int, default=1, help="with seeds that follow each other")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes, -1 for one per core")
    parser.add_argument("--json", action="store_true", help="one object per line")
    return parser


def _counts(text: str) -> list[float]:
    try:
        counts = [float(int(word)) for word in text.split(",") if word.strip()]
    except ValueError:
        raise InputError("--counts", text, "whole numbers of threads, separated by commas") from None
    return counts


def _line(entry: dict) -> str:
    errors = " / ".join(f"{value:.2f}" for value in entry["error_percent"])
    ratio = "-" if entry["half_width_over_error"] is None else f"{entry['half_width_over_error']:.2f}"
    return (
        f"{entry['operation']:10s} {entry['kind']:21s} {entry['points']:4d} points, error {errors} %, "
        f"inside 90 %: {entry['inside_90']:.1%}, "
        f"half-width {entry['half_width_percent']:.2f} % = {ratio} x median error"
    )


if __name__ == "__main__":
    sys.exit(main())
