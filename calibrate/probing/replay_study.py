"""How many measurements the sequential design needs: a recorded sweep answers, random choice is the rival.

    python -m calibrate.probing.replay_study lattester_bandwidth.csv

Every configuration of the sweep is predicted by `calibrate`'s regressor from measurements of other configurations
alone: those that were not measured from all that were, those that were measured from all but their fold, of twelve. The
error is against the median of all measurements of the configuration. The dense sweep has the same error, from all its
measurements. Every measurement counts, and a configuration is measured once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import joblib
import numpy as np

from calibrate.probing.replay import ORDERS, Recording, kept_aside_errors, replay
from calibrate.readers import read_sources
from calibrate.validation import ape
from sim.errors import InputError, PmtwinError, check_range

SHARES = (0.05, 0.1, 0.2, 0.3, 0.45, 0.58)
"""Of the usable measurements of the sweep, at which the model is judged."""

STATISTICS = ("median", "mean", "p90")


def study(source: str, seeds: Sequence[int], shares: Sequence[float] = SHARES, jobs: int = -1, progress=iter) -> dict:
    """Replay a sweep.

    Args:
        source: file of the sweep.
        shares: of its usable measurements.
        progress: wraps the sequence of finished replays.

    Returns:
        `rows` of the file, `usable` ones, `configurations`; `dense_percent`, its error as [median, mean, 90th
        percentile]; `curve`: for each order and number of measurements `error_percent`, `unmeasured_percent` (of what
        was not measured) and their `ratio` and `unmeasured_ratio` to the dense sweep's on the same configurations, each
        with the mean over the seeds and the half-width of its 90 % interval.

    Raises:
        InputError: the file cannot be read.
    """
    measurements, _ = read_sources([source])
    recording, media = Recording(measurements), measurements.context.media
    marks = sorted({int(share * len(measurements)) for share in shares})
    if marks[0] < 1 or marks[-1] >= len(recording.configurations):
        raise InputError("--shares", shares, "shares that leave configurations to measure, and some to predict")
    work = [joblib.delayed(_dense)(recording, media)]
    work += [joblib.delayed(_one)(recording, order, marks, seed, media) for seed in seeds for order in ORDERS]
    dense, *points = progress(joblib.Parallel(n_jobs=jobs, return_as="generator")(work))
    curve = []
    for order in ORDERS:
        runs = [of for name, of in points if name == order]
        for place, mark in enumerate(marks):
            at = [run[place] for run in runs]
            errors = np.array([ape(point.log_error) for point in at])
            others = np.array([ape(point.log_error[~point.measured]) for point in at])
            rivals = np.array([ape(dense[~point.measured]) for point in at])
            curve.append(
                {
                    "order": order,
                    "measurements": mark,
                    "share_of_usable": round(mark / len(measurements), 4),
                    "share_of_rows": round(mark / measurements.sources[0].rows, 4),
                    "error_percent": _over_seeds(errors),
                    "ratio": _over_seeds(errors / ape(dense)),
                    "unmeasured_percent": _over_seeds(others),
                    "unmeasured_ratio": _over_seeds(others / rivals),
                }
            )
    return {
        "source": measurements.sources[0].name,
        "rows": measurements.sources[0].rows,
        "usable": len(measurements),
        "configurations": len(recording.configurations),
        "seeds": list(seeds),
        "dense_percent": ape(dense),
        "curve": curve,
    }


def _one(recording: Recording, order: str, marks: Sequence[int], seed: int, media: str) -> tuple[str, list]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return order, list(replay(recording, order, marks, seed, media))


def _dense(recording: Recording, media: str) -> np.ndarray:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        truth = recording.configurations
        return kept_aside_errors(truth, truth.bandwidth_mib_s, media, 0)


def _over_seeds(values: np.ndarray) -> dict:
    """Mean over the seeds and half-width of its 90 % interval (Student's t; None for one seed), by statistic."""
    from scipy.special import stdtrit

    count, means = len(values), values.mean(axis=0)
    half = stdtrit(count - 1, 0.95) * values.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else [None] * 3
    return {
        name: {"mean": round(float(m), 3), "half_width_90": None if h is None else round(float(h), 3)}
        for name, m, h in zip(STATISTICS, means, half, strict=True)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study of the command line and print its curve."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(
        prog="python -m calibrate.probing.replay_study",
        description=__doc__.partition("\n\n")[0],
    )
    parser.add_argument("source", metavar="SWEEP", help="file of measurements, such as lattester_bandwidth.csv")
    parser.add_argument("--seeds", type=int, default=5, help="replays in either order (default 5)")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--shares", default=",".join(map(str, SHARES)), help="of the usable measurements")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes, -1 for one per core")
    parser.add_argument("--json", action="store_true", help="print the whole result")
    args = parser.parse_args(arguments)
    try:
        check_range("--seeds", args.seeds, 1, 1000)
        check_range("--seed", args.seed, 0, 2**32)
        shares = _shares(args.shares)
        seeds = range(args.seed, args.seed + args.seeds)

        def progress(of):
            return tqdm(of, total=1 + 2 * args.seeds, unit="replay", disable=None, file=sys.stderr)

        found = study(args.source, seeds, shares, args.jobs, progress)
    except PmtwinError as error:
        print(f"calibrate.probing.replay_study: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(found, indent=1) if args.json else _text(found))
    return 0


def _shares(text: str) -> list[float]:
    try:
        shares = [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError("--shares", text, "numbers between 0 and 1, separated by commas") from None
    for share in shares:
        check_range("--shares", share, 0.001, 1.0)
    return shares


def _text(found: dict) -> str:
    lines = [
        f"{found['source']}: {found['rows']} rows, {found['usable']} usable, {found['configurations']} configurations",
        f"dense sweep: {' / '.join(map(str, found['dense_percent']))} % (median / mean / 90th percentile)",
    ]
    for entry in found["curve"]:
        share = f"{entry['share_of_usable']:.1%} of usable, {entry['share_of_rows']:.1%} of all rows"
        lines.append(f"{entry['order']:7s} {entry['measurements']:5d} ({share})")
        for label, error, ratio in (
            ("all", "error_percent", "ratio"),
            ("rest", "unmeasured_percent", "unmeasured_ratio"),
        ):
            errors = " / ".join(f"{entry[error][name]['mean']:.2f}" for name in STATISTICS)
            ratios = " / ".join(_with_interval(entry[ratio][name]) for name in STATISTICS)
            lines.append(f"    {label:4s} {errors} %, to the dense sweep's {ratios}")
    return "\n".join(lines)


def _with_interval(value: dict) -> str:
    half = value["half_width_90"]
    return f"{value['mean']:.2f}" + ("" if half is None else f" ± {half:.2f}")


if __name__ == "__main__":
    sys.exit(main())
