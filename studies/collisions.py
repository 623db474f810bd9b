"""What does it cost to hold the collisions of short loads, and what do free ones say of a whole chunk?

PerMA-Bench's random loads end at 1 KiB. Errors are of loads kept aside, by several partitions into folds, with the
parameters of collisions held (as `pmtwin calibrate` has them), with `collision_rise` alone free, and with all free;
beside each, the law's bandwidth of 4 KiB over that of 1 KiB, which nobody measured.

    python -m studies.collisions permabench_100series.csv.gz --seeds 4
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.measurements import Configurations, group
from pmtwin.calibrate.mechanism import FitSettings, MechanismFit
from pmtwin.calibrate.multistart import fit_best
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.readers.document import ReadOptions
from pmtwin.calibrate.settings import COLLISIONS, fit_settings
from pmtwin.calibrate.validation import configuration_folds, earned_cells, keep_aside, with_cells
from studies.study import Study

MACHINES = ("pmem_apache-128", "pmem_apache-256", "pmem_apache-512")
FREE = {"held": (), "rise free": ("collision_rise",), "all free": COLLISIONS}
THREADS = 16.0


def kept_aside_error(loads: Configurations, fit: MechanismFit, seed: int) -> float:
    """Mean error in % of kept-aside loads, the residual used where it helps."""
    folds = configuration_folds(len(loads), np.random.default_rng(seed))
    unseen = keep_aside("load", loads, fit, folds)
    return ape(with_cells(unseen, loads, earned_cells(loads, unseen)).full)[1]


def chunk_over_short(loads: Configurations, fit: MechanismFit) -> float:
    """Bandwidth of random loads of 4 KiB over that of 1 KiB, by the law."""
    points = loads.take(np.flatnonzero(loads.random)[:2])
    points = replace(points, access_size_bytes=np.array([1024.0, 4096.0]), threads=np.full(2, THREADS))
    return float(np.exp(np.diff(fit.log_bandwidth(points))[0]))


def _freed(settings: FitSettings, names: tuple[str, ...]) -> FitSettings:
    return replace(settings, held={name: value for name, value in settings.held.items() if name not in names})


def _run(args: argparse.Namespace, seeds: range, progress: Callable[..., Iterable]) -> dict:
    from threadpoolctl import threadpool_limits

    result: dict = {}
    for machine in progress(MACHINES, len(MACHINES), "machine"):
        measurements, _ = read_sources([args.table], ReadOptions(machine=machine))
        configurations, _ = group(measurements)
        loads = configurations.take(configurations.operation == "load")
        settings = fit_settings(loads, measurements.context.media, measurements.context.prefetchers)
        for name, free in FREE.items():
            with threadpool_limits(1):
                fit = fit_best("load", loads, _freed(settings, free))
                errors = [kept_aside_error(loads, fit, seed) for seed in seeds]
            entry = {"errors_percent": errors, "chunk_over_short": round(chunk_over_short(loads, fit), 2)}
            result.setdefault(machine, {})[name] = entry
    return result


def _text(result: dict) -> str:
    return "\n".join(
        f"{machine:16s} {name:10s} mean error {np.mean(entry['errors_percent']):.2f} % {entry['errors_percent']}, "
        f"4 KiB over 1 KiB {entry['chunk_over_short']}"
        for machine, of in result.items()
        for name, entry in of.items()
    )


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="PerMA-Bench's runs of the 100 series")


main = Study("studies.collisions", __doc__, (4, "partitions into folds"), _configure, _run, _text).main


if __name__ == "__main__":
    sys.exit(main())
