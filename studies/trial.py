"""Withheld trials: calibrate without a part of the measurements, then predict that part from the profile.

What `pmtwin calibrate` says about itself (`record.errors_percent`) comes from inside one calibration. A trial comes
from outside: the withheld rows are removed from the measurements first, everything is done again without them (fit,
folds, residual, intervals), the profile is saved and loaded, and it predicts what it has never seen.

    python -m studies.trial lattester_bandwidth.csv --withhold 0.1 --counts 5,16 --seed 1 --trials 4
    python -m studies.trial lattester_bandwidth.csv --withhold 0.1 --curves 0.1 --pairs 10 --seed 1 --plain
    python -m studies.trial permabench_100series.csv.gz --machine pmem_apache-256 --withhold 0.2 --trials 20
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from pmtwin.calibrate.build import Calibration, calibrate
from pmtwin.calibrate.measurements import Configurations, Measurements, group
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.validation import curve_numbers
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.errors import InputError, PmtwinError, check_range, unknown_name
from studies.interval_kinds import interval_score
from studies.plain_intervals import PLAIN, with_plain_intervals

CONFIGURATIONS, THREAD_COUNTS, CURVES = "unseen configurations", "unseen thread counts", "unseen curves"
BEYOND = "extrapolated"
KINDS = (CONFIGURATIONS, THREAD_COUNTS, CURVES, BEYOND)
"""Of what was withheld; extrapolated is what lies outside the rest, such as the largest thread count of its kind."""

LEAST_SHARE = 0.04
"""Of all configurations: a thread count measured less often is in no pair, for it tells too little."""

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
    measurements: Measurements,
    withhold: float,
    counts: Sequence[float],
    seed: int,
    jobs: int = -1,
    curves: float = 0.0,
) -> Withheld:
    """Calibrate without a share of the configurations, and without all those of some thread counts and curves.

    Args:
        withhold: share of all configurations, 0 to 0.5.
        counts: numbers of threads that are withheld whole.
        seed: of what is drawn, and of the calibration.
        curves: share of the curves (a pattern, number of DIMMs and size with all thread counts), 0 to 0.5.

    Raises:
        InputError: a number out of range, nothing withheld, or too little left.
    """
    built, aside, kind = _calibrated_without(measurements, withhold, counts, seed, jobs, curves)
    return _predicted(_as_loaded(built.profile), aside, kind)


def run_with_plain(*arguments) -> tuple[Withheld, ...]:
    """What `run_trial` returns, and the same with each of the plain intervals (`PLAIN`)."""
    built, aside, kind = _calibrated_without(*arguments)
    profiles = built.profile, *(with_plain_intervals(built, share) for share in PLAIN.values())
    return tuple(_predicted(_as_loaded(profile), aside, kind) for profile in profiles)


def _calibrated_without(
    measurements: Measurements, withhold: float, counts: Sequence[float], seed: int, jobs: int, curves: float
) -> tuple[Calibration, Configurations, np.ndarray]:
    check_range("withhold", withhold, 0.0, 0.5)
    check_range("curves", curves, 0.0, 0.5)
    configurations, index = group(measurements)
    of_count = np.isin(configurations.threads, np.asarray(counts, dtype=float))
    rng = np.random.default_rng(seed)
    drawn = rng.random(len(configurations)) < withhold
    curve = curve_numbers(configurations)
    of_curve = (rng.random(curve.max() + 1) < curves)[curve]
    aside = of_count | of_curve | drawn
    if not np.any(aside):
        raise InputError("withhold", withhold, "a share, thread counts, or curves, that leave something to predict")
    built = calibrate(measurements.take(~aside[index]), "trial", "withheld", seed, bootstrap=REPLICATES, jobs=jobs)
    kind = np.select([of_count, of_curve], [THREAD_COUNTS, CURVES], CONFIGURATIONS)
    aside &= np.isin(configurations.operation, list(built.profile.parameters))
    return built, configurations.take(aside), kind[aside]


def pairs_of_counts(measurements: Measurements, seed: int) -> list[tuple[float, float]]:
    """All pairs of thread counts that were measured often, without the smallest and the largest, in random order."""
    threads = group(measurements)[0].threads
    counts, number = np.unique(threads, return_counts=True)
    often = counts[1:-1][number[1:-1] >= LEAST_SHARE * threads.size]
    pairs = list(combinations(often.tolist(), 2))
    return [pairs[index] for index in np.random.default_rng(seed).permutation(len(pairs))]


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
        interval), `inside_90_by_trial` (of each that has such points), `half_width_percent` (median),
        `half_width_over_error` (of the medians), `score_by_trial` (interval score, smaller is better).
    """
    columns = [(t.configurations.operation, t.kind, t.log_error, t.log_half_width) for t in trials]
    operation, kind, error, half = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    trial = np.repeat(np.arange(len(trials)), [t.kind.size for t in trials])
    entries = []
    for name in OPERATIONS:
        for of in KINDS:
            here = (operation == name) & (kind == of)
            if np.any(here):
                entries.append({"operation": name, "kind": of, **_scores(error[here], half[here], trial[here])})
    return entries


def _scores(error: np.ndarray, half: np.ndarray, trial: np.ndarray) -> dict:
    inside = np.abs(error) <= half
    each_trial = [trial == each for each in np.unique(trial)]
    width = 100.0 * float(np.median(half))
    of_error = 100.0 * float(np.median(np.abs(np.expm1(error))))
    return {
        "points": error.size,
        "error_percent": ape(error),
        "inside_90": round(float(np.mean(inside)), 3),
        "inside_90_by_trial": [round(float(np.mean(inside[here])), 3) for here in each_trial],
        "half_width_percent": round(width, 2),
        "half_width_over_error": round(width / of_error, 2) if of_error else None,
        "score_by_trial": [round(interval_score(error[here], -half[here], half[here]), 4) for here in each_trial],
    }


def _with_plain(entry: dict, *rivals: dict) -> dict:
    """The entry with what plain intervals have at the same points, and by how much their score is larger."""
    return entry | {name: _compared(entry, rival) for name, rival in zip(PLAIN, rivals, strict=True)}


def _compared(entry: dict, rival: dict) -> dict:
    excess = np.subtract(rival["score_by_trial"], entry["score_by_trial"])
    error = float(excess.std(ddof=1) / np.sqrt(excess.size)) if excess.size > 1 else None
    told = {name: rival[name] for name in ("inside_90", "half_width_percent")}
    return told | {"score_excess": [round(float(excess.mean()), 4), error and round(error, 4)]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trials of the command line and print their summary."""
    from tqdm import tqdm

    from pmtwin.calibrate.readers import read_sources
    from pmtwin.calibrate.readers.document import ReadOptions

    args = _parser().parse_args(arguments)
    try:
        counts, operations = _counts(args.counts), _operations(args.operations)
        check_range("--trials", args.trials, 1, 1000)
        check_range("--pairs", args.pairs, 0, 1000)
        check_range("--seed", args.seed, 0, 2**32)
        measurements, _ = read_sources(args.sources, ReadOptions(machine=args.machine))
        measurements = measurements.take(np.isin(measurements.operation, operations))
        work = [(counts, args.seed + number) for number in range(args.trials)]
        if args.pairs:
            pairs = pairs_of_counts(measurements, args.seed)[: args.pairs]
            work = [(pair, args.seed + number) for number, pair in enumerate(pairs)]
        work = tqdm(work, unit="trial", disable=None, file=sys.stderr)
        run = run_with_plain if args.plain else run_trial
        trials = [run(measurements, args.withhold, aside, seed, args.jobs, args.curves) for aside, seed in work]
    except PmtwinError as error:
        print(f"studies.trial: {error}", file=sys.stderr)
        return error.exit_code
    entries = list(map(_with_plain, *map(summary, zip(*trials, strict=True)))) if args.plain else summary(trials)
    for entry in entries:
        print(json.dumps(entry) if args.json else _line(entry))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m studies.trial", description=__doc__.partition("\n\n")[0])
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="file of measurements, or folder of such files")
    parser.add_argument("--machine", metavar="NAME", help="machine of the table, where it has several")
    parser.add_argument("--withhold", type=float, default=0.1, help="share of the configurations (default 0.1)")
    parser.add_argument("--counts", default="", metavar="N,N", help="thread counts that are withheld whole")
    parser.add_argument(
        "--pairs", type=int, default=0, metavar="N", help="instead: so many trials, a pair of counts each"
    )
    parser.add_argument("--operations", default=",".join(OPERATIONS), metavar="NAME,NAME", help="that are calibrated")
    parser.add_argument("--curves", type=float, default=0.0, help="share of the whole curves (default 0)")
    parser.add_argument("--plain", action="store_true", help="also plain split-conformal intervals, by interval score")
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


def _operations(text: str) -> list[str]:
    names = [word.strip() for word in text.split(",")]
    for name in names:
        if name not in OPERATIONS:
            raise unknown_name("--operations", name, OPERATIONS)
    return names


def _line(entry: dict) -> str:
    errors = " / ".join(f"{value:.2f}" for value in entry["error_percent"])
    ratio = "-" if entry["half_width_over_error"] is None else f"{entry['half_width_over_error']:.2f}"
    shares = entry["inside_90_by_trial"]
    by_trial = f" (each trial: {', '.join(f'{share:.0%}' for share in shares)})" if len(shares) > 1 else ""
    plain = "".join(_plain_line(name, entry[name]) for name in PLAIN if name in entry)
    return (
        f"{entry['operation']:10s} {entry['kind']:21s} {entry['points']:4d} points, error {errors} %, "
        f"inside 90 %: {entry['inside_90']:.1%}{by_trial}, "
        f"half-width {entry['half_width_percent']:.2f} % = {ratio} x median error{plain}"
    )


def _plain_line(name: str, compared: dict) -> str:
    excess, error = compared["score_excess"]
    uncertain = "" if error is None else f" +- {error:.4f}"
    told = f"{compared['inside_90']:.1%}, {compared['half_width_percent']:.2f} %"
    return f"; {name}: {told}, score {excess:+.4f}{uncertain}"


if __name__ == "__main__":
    sys.exit(main())
