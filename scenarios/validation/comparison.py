"""How far the twin's predictions are from what was measured: by case, by region, and in the choice of the best."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.scenarios.doubts import doubts
from pmtwin.scenarios.notes import notes
from pmtwin.scenarios.statistics import mean_interval, positive_interval, share_interval
from pmtwin.scenarios.validation.choices import best_choices
from pmtwin.scenarios.validation.errors import error_percent, over_cases, ratios
from pmtwin.scenarios.validation.noise import noise, summary
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED, Case, Windows

Runs = Mapping[str, Sequence[Sequence[Windows]]]
"""Side -> one list per case, of one `Windows` per seed."""

MEASURES = ("throughput_ops", "p99_us", "batch_ops", "reward")
ERRORS = ("throughput_ops", "p99_us", "batch_ops")
"""Measures with a relative error; a reward may be zero or change its sign."""

LITTLE_PERCENT = 10.0
"""A window departs from Little's law if the requests counted and those by stamps differ by more than this, and by more
than one for each worker: in real time an answered request is counted until its worker has taken it off.
"""

INTERVAL = (
    "95 % Student t interval of the mean over seeds, on the logarithmic scale for throughput, p99 and errors (as "
    "predicted / measured); null for a single seed"
)


FIXED, PATHS, TRANSFER = GROUPS = ("fixed pools", "policies' own paths", "policy of the transfer")
"""Of comparisons. With fixed pools an error is the twin's at the same pools on both sides. A policy decides on each
side from what it sees there: its error is that of a whole path, and is never mixed with the others.
"""


def compare(cases: Sequence[Case], runs: Runs, transfer: Collection[Case] = ()) -> dict:
    """The comparison in plain numbers.

    Errors are 100 (predicted / measured - 1): above zero the twin promises more than there is.

    Args:
        transfer: those of the cases that are there for `transferred` only.

    Returns:
        `comparisons`: one entry per case and phase (see `_entry`).
        `errors`: group (those of `GROUPS` that there are) -> measure -> of `errors.over_cases`;
        `regions`: of all entries by region. `noise`: group -> measure -> how far the measurements differ among
        themselves, of `noise.summary`.
        `best`: see `best_choices`, without cases of the transfer. `little`: see `little`.
        `notes`: each note of a policy in a run: `policy`, `side`, `run`, `note` and the fields of `notes.notes`.
        `doubts`: reason -> windows, of `windows` measured. `extrapolated`: outside the profile's data, `comparisons` of
        the twin and `measured_windows`. `interval`: what intervals are.
    """
    entries, offered = [], []
    for number, case in enumerate(cases):
        predicted, measured = runs[PREDICTED][number], runs[MEASURED][number]
        for phase in dict.fromkeys(block.phase for block in case.schedule):
            entry = _entry(case, phase, predicted, measured, case in transfer)
            entries.append(entry)
            if case not in transfer:
                offered.append((case.schedule, entry))
    windows = [one for some in runs[MEASURED] for one in some]
    return {
        "comparisons": entries,
        "errors": _by_group(entries, _errors),
        "noise": _by_group(entries, _noise),
        "regions": _regions(entries),
        "best": best_choices(offered),
        "little": little(windows),
        "doubts": doubts(one.doubt for one in windows),
        "notes": [
            {"policy": case.policy, "side": side, "run": run, "note": name, **of}
            for side in (PREDICTED, MEASURED)
            for case, some in zip(cases, runs[side], strict=True)
            for run, one in enumerate(some)
            for name, of in notes(one).items()
        ],
        "windows": sum(len(one.doubt) for one in windows),
        "extrapolated": {
            "comparisons": sum(entry["extrapolated"][PREDICTED] for entry in entries),
            "measured_windows": sum(int(one.extrapolated.sum()) for one in windows),
        },
        "interval": INTERVAL,
    }


def _entry(
    case: Case, phase: int, predicted: Sequence[Windows], measured: Sequence[Windows], of_transfer: bool
) -> dict:
    """One policy in one phase.

    `policy`, `workload`, `phase`, `changing` (whether other phases take turns with it), `pools` (of a fixed setting),
    `group` (of `GROUPS`); `extrapolated`: whether any window of the phase is, by side; for each measure `predicted`
    and `measured` (mean, low, high over seeds), `by_seed` (the values of each side), and `error_percent` like the
    sides, from pairs of the same seed (None where a seed measured nothing);
    and `noise` of the measured; `sla_attainment` of both.
    """
    sides = {
        PREDICTED: [_of_phase(one, phase) for one in predicted],
        MEASURED: [_of_phase(one, phase) for one in measured],
    }
    values = {name: {side: [one[name] for one in some] for side, some in sides.items()} for name in MEASURES}
    fixed = case.policy.startswith("fixed:")
    outside = {
        side: any(bool(one.extrapolated[one.phase == phase].any()) for one in some)
        for side, some in ((PREDICTED, predicted), (MEASURED, measured))
    }
    entry: dict[str, Any] = {
        "policy": case.policy,
        "workload": case.workload or f"phase-{phase}",
        "phase": phase or None,
        "changing": len({block.phase for block in case.schedule}) > 1,
        "pools": list(_fixed_pools(measured)) if fixed else None,
        "group": FIXED if fixed else TRANSFER if of_transfer else PATHS,
        "extrapolated": outside,
    }
    for name, both in values.items():
        interval = positive_interval if name in ERRORS else mean_interval
        entry[name] = {side: interval(found) for side, found in both.items()} | {"by_seed": both}
        if name in ERRORS:
            entry[name]["error_percent"] = error_percent(ratios(both[PREDICTED], both[MEASURED]))
            entry[name]["noise"] = noise([getattr(one, name)[one.phase == phase] for one in measured])
    entry["sla_attainment"] = {side: share_interval([one["met"] for one in some]) for side, some in sides.items()}
    return entry


def _of_phase(windows: Windows, phase: int) -> dict[str, float]:
    """Means over the windows of a phase."""
    here = windows.phase == phase
    return {name: float(getattr(windows, name)[here].mean()) for name in (*MEASURES, "met")}


def _fixed_pools(runs: Sequence[Windows]) -> tuple[int, int]:
    return tuple(runs[0].pools[0].tolist())


def _by_group(entries: Sequence[dict], of: Callable[[Sequence[dict]], dict]) -> dict[str, dict]:
    parts = {group: [entry for entry in entries if entry["group"] == group] for group in GROUPS}
    return {group: of(part) for group, part in parts.items() if part}


def _noise(entries: Sequence[dict]) -> dict[str, dict]:
    return {name: summary([entry[name]["noise"] for entry in entries]) for name in ERRORS}


def _errors(entries: Sequence[dict]) -> dict[str, dict]:
    return {name: over_cases([entry[name]["by_seed"] for entry in entries], (PREDICTED, MEASURED)) for name in ERRORS}


def _regions(entries: Sequence[dict]) -> list[dict]:
    """Errors by workload, by threads in both pools together, and by whether the twin expects the service level kept."""
    found = []
    for kind, label_of in _REGIONS.items():
        labels = [label_of(entry) for entry in entries]
        for label in dict.fromkeys(sorted(label for label in labels if label is not None)):
            part = [entry for entry, own in zip(entries, labels, strict=True) if own == label]
            found.append({"kind": kind, "region": label.lstrip(), "errors": _errors(part)})
    return found


def _threads_region(entry: dict) -> str | None:
    if entry["pools"] is None:
        return None
    threads = sum(entry["pools"])
    return next(label for most, label in _THREADS if threads <= most)


_THREADS = ((8, "  2 to 8"), (16, " 9 to 16"), (32, "17 to 32"), (64, "33 to 64"))

_REGIONS: dict[str, Callable[[dict], str | None]] = {
    "workload": lambda entry: entry["workload"],
    "threads": _threads_region,
    "service level": lambda entry: (
        "kept, says the twin" if entry["sla_attainment"][PREDICTED]["mean"] >= 0.5 else "missed, says the twin"
    ),
}


def little(runs: Sequence[Windows]) -> dict:
    """Little's law in each measured window: requests counted in the system over those by the clients' stamps, less 1.

    Returns:
        `windows` that were counted; `median_percent`, `worst_percent` of the absolute departures; `departing`: how many
        exceed `LITTLE_PERCENT`. Null where nothing was counted.
    """
    counted = np.concatenate([one.counted for one in runs])
    stamped = np.concatenate([one.stamped for one in runs])
    known = np.isfinite(counted) & (stamped > 0)
    if not known.any():
        return {"windows": 0, "median_percent": None, "worst_percent": None, "departing": 0}
    difference = np.abs(counted[known] - stamped[known])
    workers = np.concatenate([one.pools.sum(axis=1) for one in runs])[known]
    departure = 100.0 * difference / stamped[known]
    return {
        "windows": int(known.sum()),
        "median_percent": float(np.median(departure)),
        "worst_percent": float(departure.max()),
        "departing": int(((departure > LITTLE_PERCENT) & (difference > workers)).sum()),
    }
