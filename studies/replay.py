"""How many measurements the probe's order needs: a recorded sweep answers, random order is the rival.

    python -m studies.replay lattester_bandwidth.csv

A fifth of the configurations, by chance anew for each seed, are never measured: they judge. The dense sweep's model
has all measurements of all others, the orders' as many as they were allowed, each configuration once. The error is
against the median of all measurements of a judge, by `calibrate`'s regressor. Keeping the measured ones aside in turn
would judge an order that spreads its points by gaps that it did not leave. `told` is what a probe would say of its
model at the time, without the judges.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import joblib
import numpy as np

from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.numerics.statistics import t_half
from studies.recording import JUDGES, ORDERS, Recording, dense_errors, replay
from studies.study import Study

SHARES = (0.05, 0.1, 0.2, 0.4)
"""Of the usable measurements that the dense sweep's model has, at which the others are judged."""

DENSE = "dense"

STATISTICS = ("median", "mean", "p90")


def study(
    source: str,
    seeds: Sequence[int],
    shares: Sequence[float] = SHARES,
    jobs: int = -1,
    progress=iter,
    machine: str | None = None,
) -> dict:
    """Replay a sweep.

    Args:
        source: file of the sweep.
        shares: of its usable measurements.
        machine: of a table of several, which one.
        progress: wraps the sequence of finished replays.

    Returns:
        `rows` of the file, `usable` ones, `configurations`; `dense_percent`, the dense sweep's error ([median, mean,
        90th percentile], mean over the seeds); `curve`: for each order and share `error_percent`, its `ratio` to the
        dense sweep's by the same judges, and what is `told` (None where it is not, for some seed), each with the mean
        over the seeds and the half-width of its 90 % interval.

    Raises:
        InputError: the file cannot be read.
    """
    measurements, _ = read_sources([source], ReadOptions(machine=machine))
    recording, media = Recording(measurements), measurements.context.media
    usable = int((1.0 - JUDGES) * len(measurements))
    marks = sorted({int(share * usable) for share in shares})
    if marks[0] < 1 or marks[-1] >= int((1.0 - JUDGES) * len(recording.configurations)):
        raise InputError("--shares", shares, "shares that leave configurations to measure")
    work = [joblib.delayed(_one)(recording, order, marks, seed, media) for seed in seeds for order in (DENSE, *ORDERS)]
    replayed = list(progress(joblib.Parallel(n_jobs=jobs, return_as="generator")(work)))
    errors, told = (
        {order: np.array([each[place] for each in replayed if each[0] == order]) for order in (DENSE, *ORDERS)}
        for place in (1, 2)
    )
    curve = [
        {
            "order": order,
            "measurements": mark,
            "share_of_usable": round(mark / usable, 4),
            "error_percent": _over_seeds(errors[order][:, place]),
            "ratio": _over_seeds(errors[order][:, place] / errors[DENSE][:, 0]),
            "told": _over_seeds(told[order][:, place]) if np.all(np.isfinite(told[order][:, place])) else None,
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


def _one(recording: Recording, order: str, marks: Sequence[int], seed: int, media: str) -> tuple[str, list, list]:
    """(order, errors at the marks, errors told at the marks)."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        if order == DENSE:
            return order, [ape(dense_errors(recording, seed, media))], []
        errors, told = zip(*replay(recording, order, marks, seed, media), strict=True)
        return order, list(errors), [[np.nan] * 3 if each is None else each for each in told]


def _over_seeds(values: np.ndarray) -> dict:
    """Mean over the seeds and half-width of its 90 % interval (Student's t; None for one seed), by statistic."""
    count, means = len(values), values.mean(axis=0)
    half = t_half(values, 0.90) if count > 1 else [None] * 3
    return {
        name: {"mean": round(float(m), 3), "half_width_90": None if h is None else round(float(h), 3)}
        for name, m, h in zip(STATISTICS, means, half, strict=True)
    }


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SWEEP", help="file of measurements, such as lattester_bandwidth.csv")
    parser.add_argument("--machine", metavar="NAME", help="machine of the table, where it has several")
    parser.add_argument("--shares", default=",".join(map(str, SHARES)), help="of the usable measurements")


def _run(args: argparse.Namespace, seeds: range, progress) -> dict:
    total = len(seeds) * (1 + len(ORDERS))
    return study(
        args.source, seeds, _shares(args.shares), args.jobs, lambda of: progress(of, total, "replay"), args.machine
    )


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
        errors, told = (_means(entry[name]) for name in ("error_percent", "told"))
        ratios = " / ".join(_with_interval(entry["ratio"][name]) for name in STATISTICS)
        at = f"{entry['order']:7s} {entry['measurements']:5d} ({entry['share_of_usable']:.1%} of usable)"
        lines.append(f"{at}: {errors}, to the dense sweep's {ratios}; told {told}")
    return "\n".join(lines)


def _means(values: dict | None) -> str:
    return " / ".join(f"{values[name]['mean']:.2f}" for name in STATISTICS) + " %" if values else "nothing"


def _with_interval(value: dict) -> str:
    half = value["half_width_90"]
    return f"{value['mean']:.2f}" + ("" if half is None else f" ± {half:.2f}")


main = Study("studies.replay", __doc__, (5, "replays in every order"), _configure, _run, _text).main


if __name__ == "__main__":
    sys.exit(main())
