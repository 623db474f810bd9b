"""How much of the best settings' gain a single constant setting keeps: the contended loads beside the paper's mixes.

    python -m studies.contended

Fixed settings of a grid run under each load, from the windows after the caches have filled. The best of each load and
the best constants run again with other seeds, from which the numbers come. A gain is the mean reward less that of
Lustre's default. Rewards: the objective of the contended loads; of the mixes both their throughput over the default's,
and the objective with a weight of 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from pmtwin.scenarios.lustre_tuning.limits import DEFAULT
from pmtwin.scenarios.lustre_tuning.scenario import LustreTuning
from pmtwin.scenarios.lustre_tuning.workloads import CONTENDED, WORKLOADS
from studies.study import Study

WINDOWS = (4, 8, 16, 32, 64, 128, 256)
GAPS_US = (0, 5840, 10_340, 14_840, 20_840, 26_840, 32_840, 40_340, 47_840, 55_340, 70_340, 100_340)
GRID = tuple((window, gap_us) for window in WINDOWS for gap_us in GAPS_US)

SEARCH_SEED, SEARCHED, COUNTED = 999, 60, 300
"""Seed and windows of the search, and windows of each run that counts."""

FINALISTS = 6
"""Settings of each load, and of all together, that run again."""

MIXES = tuple(name for name in WORKLOADS if name.startswith("random-"))
FAMILIES: Mapping[str, tuple[tuple[str, ...], float]] = {
    "contended": (tuple(CONTENDED), 1.0),
    "mixes, throughput": (MIXES, 0.0),
    "mixes, objective": (MIXES, 1.0),
}
"""Name -> (loads, weight of the latency, unless a load has its own)."""

Setting = tuple[int, int]
Table = dict[tuple[str, Setting], float]


def reward(load: str, setting: Setting, weight: float, seed: int, windows: int) -> float:
    """Mean reward of a fixed setting under a load."""
    scenario = LustreTuning.of(reward="objective", latency_weight=weight)
    with closing(scenario.system(load, seed)) as system:
        system.start(setting)
        values = []
        for _ in range(windows):
            system.run_window()
            values.append(scenario.reward(system.measures()))
    return float(np.mean(values))


def kept(table: Table, loads: Sequence[str], settings: Sequence[Setting]) -> dict[str, Any]:
    """Gains of the best setting of each load and of the best constant, and the share that the constant keeps."""
    gains = {(load, setting): table[load, setting] - table[load, DEFAULT] for load in loads for setting in settings}
    best = {load: max(settings, key=lambda setting: gains[load, setting]) for load in loads}
    constant = max(settings, key=lambda setting: sum(gains[load, setting] for load in loads))
    most = sum(gains[load, best[load]] for load in loads)
    return {
        "loads": [
            {
                "load": load,
                "default": table[load, DEFAULT],
                "best": list(best[load]),
                "gain": gains[load, best[load]],
                "of_constant": gains[load, constant],
            }
            for load in loads
        ],
        "constant": list(constant),
        "share": sum(gains[load, constant] for load in loads) / most,
    }


def _first(table: Table, loads: Sequence[str]) -> list[Setting]:
    """Settings that run again: the default, the best of each load, and the best constants."""
    chosen = {DEFAULT}
    for group in (*([load] for load in loads), loads):
        gains = {setting: sum(table[load, setting] for load in group) for setting in GRID}
        chosen |= set(sorted(GRID, key=gains.__getitem__, reverse=True)[:FINALISTS])
    return sorted(chosen)


def surveyed(
    loads: Sequence[str], weight: float, seeds: range, jobs: int, progress: Callable[..., Iterable]
) -> dict[str, Any]:
    """`kept` of a family of loads, from runs that no search has seen."""

    def table(settings: Sequence[Setting], numbers: Sequence[int], windows: int) -> Table:
        tasks = [(load, setting, weight, seed, windows) for load in loads for setting in settings for seed in numbers]
        results = Parallel(n_jobs=jobs, return_as="generator")(delayed(reward)(*task) for task in tasks)
        values: dict[tuple[str, Setting], list[float]] = {}
        for task, value in zip(tasks, progress(results, total=len(tasks), unit="run"), strict=True):
            values.setdefault((task[0], task[1]), []).append(value)
        return {key: float(np.mean(runs)) for key, runs in values.items()}

    settings = _first(table(GRID, [SEARCH_SEED], SEARCHED), loads)
    return kept(table(settings, seeds, COUNTED), loads, settings)


def _run(args: argparse.Namespace, seeds: range, progress: Callable[..., Iterable]) -> dict[str, Any]:
    return {name: surveyed(*FAMILIES[name], seeds, args.jobs, progress) for name in args.families}


def _text(result: dict) -> str:
    lines = []
    for name, family in result.items():
        constant = _written(family["constant"])
        lines.append(f"{name}: the best constant, {constant}, keeps {family['share']:.1%} of the best settings' gain")
        lines += [
            f"  {row['load']}: {row['default']:.2f} at the default, "
            f"{row['gain']:+.3f} at its best, {_written(row['best'])}, {row['of_constant']:+.3f} at {constant}"
            for row in family["loads"]
        ]
    return "\n".join(lines)


def _written(setting: Sequence[int]) -> str:
    return ",".join(map(str, setting))


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--families", nargs="+", choices=tuple(FAMILIES), default=list(FAMILIES))


STUDY = Study("studies.contended", __doc__ or "", (3, "runs of each setting that count"), _configure, _run, _text)

if __name__ == "__main__":
    sys.exit(STUDY.main())
