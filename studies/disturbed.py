"""How errors grow with the rows that other work takes from a probe: why `pmtwin calibrate` refuses below a share.

    python -m studies.disturbed probe.json --shares 1,0.7,0.5,0.3,0.2,0.1 --seeds 2

The medians of the whole probe are the truth, disturbed rows of one thread by its own time. Rows are then taken away at
random, or in stretches that hold whole configurations; a profile is fitted to what is left and predicts all of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.measurements import Configurations, group
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.console.output import print_table
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.json_file import read_json

RANDOM, STRETCHES = "at random", "in stretches"
STRETCH = 12
"""Rows that go together."""

ALL = ReadOptions(accept_disturbed=True)


def left_of(document: dict, share: float, how: str, rng: np.random.Generator) -> dict:
    """The probe with a share of its rows."""
    rows = document["benchmarks"]
    length = 1 if how == RANDOM else STRETCH
    kept = np.repeat(rng.random(len(rows) // length + 1) < share, length)[: len(rows)]
    return document | {"benchmarks": [row for row, is_kept in zip(rows, kept, strict=True) if is_kept]}


def judged(profile: Profile, truth: Configurations) -> tuple[np.ndarray, np.ndarray]:
    """log(predicted / true), and half-widths, of the configurations of operations and patterns that were fitted."""
    fitted = {(name, box["pattern"]) for name, boxes in profile.fitted_range.items() for box in boxes}
    pairs = zip(truth.operation.tolist(), truth.pattern.tolist(), strict=True)
    points = truth.take(np.array([pair in fitted for pair in pairs]))
    names = ("operation", "pattern", "access_size_bytes", "threads", "dimms", "power_w")
    result = predict(profile, {name: getattr(points, name) for name in names} | {"write_operation": points.pattern})
    log_error = np.log(result["bandwidth_mib_s"] / points.bandwidth_mib_s)
    return log_error, np.log(result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"])


def main(words: Sequence[str] | None = None) -> None:
    """Print errors, coverage and widths for each share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe")
    parser.add_argument("--shares", default="1,0.7,0.5,0.3,0.2,0.1")
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args(words)
    document = read_json(Path(args.probe), "probe")
    truth, _ = group(read_sources([args.probe], ALL)[0])
    rows = []
    for how in (RANDOM, STRETCHES):
        for share in map(float, args.shares.split(",")):
            fits = [_fitted(left_of(document, share, how, _rng(seed, share)), truth) for seed in range(args.seeds)]
            rows += [(how, share, *_summary([each for each in fits if each]), sum(each is None for each in fits))]
    header = ("rows taken", "share left", "error % (median / mean / p90)", "predicted 90 %", "inside %", "half-width %")
    print_table(rows, (*header, "refused"))


def _rng(seed: int, share: float) -> np.random.Generator:
    return np.random.default_rng([seed, round(1000 * share)])


def _fitted(document: dict, truth: Configurations) -> tuple[np.ndarray, np.ndarray] | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probe.json"
        path.write_text(json.dumps(document))
        try:
            profile = calibrate(read_sources([path], ALL)[0], "left", "study", bootstrap=2).profile
        except InputError:
            return None
    return judged(profile, truth)


def _summary(fits: list[tuple[np.ndarray, np.ndarray]]) -> tuple:
    if not fits:
        return ("-",) * 4
    error, half = (np.concatenate(parts) for parts in zip(*fits, strict=True))
    known = np.isfinite(half)
    inside = 100.0 * float(np.mean(np.abs(error[known]) <= half[known]))
    text = " / ".join(f"{value:.1f}" for value in ape(error))
    return text, f"{100.0 * known.mean():.0f}", round(inside, 1), round(100.0 * float(np.median(half[known])), 1)


if __name__ == "__main__":
    main()
