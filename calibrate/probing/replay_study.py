"""How many measurements the sequential design needs: a recorded sweep answers, random choice is the rival.

    python -m pmtwin.calibrate.probing.replay_study lattester_bandwidth.csv

A fifth of the configurations, by chance anew for each seed, are never measured: they judge. The dense sweep's model
has all measurements of all others, the designs' as many as they were allowed, each configuration once. The error is
against the median of all measurements of a judge, by `calibrate`'s regressor. Keeping the measured ones aside in turn
would judge a design that spreads its points by gaps that it did not leave.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import joblib
import numpy as np

from pmtwin.calibrate.probing.replay import JUDGES, ORDERS, Recording, dense_errors, replay
from pmtwin.calibrate.probing.study import Study
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.validation import ape
from pmtwin.sim.errors import InputError, check_range

SHARES = (0.05, 0.1, 0.2, 0.4)
"""Of the usable measurements that the dense sweep's model has, at which the others are judged."""

DENSE = "dense"

STATISTICS = ("median", "mean", "p90")


def study(source: str, seeds: Sequence[int], shares: Sequence[float] = SHARES, jobs: int = -1, progress=iter) -> dict:
    """Replay a sweep.

    Args:
        source: file of the sweep.
        shares: of its usable measurements.
        progress: wraps the sequence of finished replays.

    Returns:
        `rows` of the file, `usable` ones, `configurations`; `dense_percent`, the dense sweep's error ([median, mean,
        90th percentile], mean over the seeds); `curve`: for each order and share `error_percent` and its `ratio` to
        the dense sweep's by the same judges, each with the mean over the seeds and the half-width of its 90 % interval.

    Raises:
        InputError: the file cannot be read.
    """
    measurements, _ = read_sources([source])
    recording, media = Recording(measurements), measurements.context.media
    usable = int((1.0 - JUDGES) * len(measurements))
    marks = sorted({int(share * usable) for share in shares})
    if marks[0] < 1 or marks[-1] >= int((1.0 - JUDGES) * len(recording.configurations)):
        raise InputError("--shares", shares, "shares that leave configurations to measure")
    work = [joblib.delayed(_one)(recording, order, marks, seed, media) for seed in seeds for order in (DENSE, *ORDERS)]
    found = list(progress(joblib.Parallel(n_jobs=jobs, return_as="generator")(work)))
    errors = {order: np.array([of for name, of in found if name == order]) for order in (DENSE, *ORDERS)}
    curve = [
        {
            "order": order,
            "measurements": mark,
            "share_of_usable": round(mark / usable, 4),
            "error_percent": _over_seeds(errors[order][:, place]),
            "ratio": _over_seeds(errors[order][:, place] / errors[DENSE][:, 0]),
        }
        for order in ORDERS
        for place, mark in enumerate(marks)
    ]
    return {
        "source": measurements.sources[0].name,
        "rows": measurements.sources[0].rows,
        "usable": len(measurements),
        "configurations": len(recording.configurations),
        "seeds": list(seeds),
        "dense_percent": errors[DENSE][:, 0].mean(axis=0).round(2).tolist(),
        "curve": curve,
    }


def _one(recording: Recording, order: str, marks: Sequence[int], seed: int, media: str) -> tuple[str, list]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        if order == DENSE:
            return order, [ape(dense_errors(recording, seed, media))]
        return order, [ape(errors) for errors in replay(recording, order, marks, seed, media)]


def _over_seeds(values: np.ndarray) -> dict:
    """Mean over the seeds and half-width of its 90 % interval (Student's t; None for one seed), by statistic."""
    from scipy.special import stdtrit

    count, means = len(values), values.mean(axis=0)
    half = stdtrit(count - 1, 0.95) * values.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else [None] * 3
    return {
        name: {"mean": round(float(m), 3), "half_width_90": None if h is None else round(float(h), 3)}
        for name, m, h in zip(STATISTICS, means, half, strict=True)
    }


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SWEEP", help="file of measurements, such as lattester_bandwidth.csv")
    parser.add_argument("--shares", default=",".join(map(str, SHARES)), help="of the usable measurements")


def _run(args: argparse.Namespace, seeds: range, progress) -> dict:
    total = len(seeds) * (1 + len(ORDERS))
    return study(args.source, seeds, _shares(args.shares), args.jobs, lambda of: progress(of, total, "replay"))


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
        errors = " / ".join(f"{entry['error_percent'][name]['mean']:.2f}" for name in STATISTICS)
        ratios = " / ".join(_with_interval(entry["ratio"][name]) for name in STATISTICS)
        at = f"{entry['order']:7s} {entry['measurements']:5d} ({entry['share_of_usable']:.1%} of usable)"
        lines.append(f"{at}: {errors} %, to the dense sweep's {ratios}")
    return "\n".join(lines)


def _with_interval(value: dict) -> str:
    half = value["half_width_90"]
    return f"{value['mean']:.2f}" + ("" if half is None else f" ± {half:.2f}")


main = Study(
    "pmtwin.calibrate.probing.replay_study", __doc__, (5, "replays in every order"), _configure, _run, _text
).main


if __name__ == "__main__":
    sys.exit(main())
