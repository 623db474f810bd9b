"""One verdict, with its reasons. Only a run on persistent memory may speak of the device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from pmtwin.scenarios.doubts import DOUBTED_PERCENT
from pmtwin.scenarios.validation.cautions import cautions
from pmtwin.scenarios.validation.comparison import FIXED, PATHS
from pmtwin.sim.errors import check_range, unknown_name

NAMES = {"emulated": "verified (emulated)", "dram": "validated (DRAM)", "pmem": "validated (pmem)"}
MEDIA = tuple(NAMES)
"""Below the middleware: a device emulated to the profile, main memory, persistent memory."""

SCOPE = {
    "emulated": "the middleware ran on an emulated device that follows the same profile: what agrees is queueing, "
    "pools and control, not the device",
    "dram": "the middleware ran on main memory: this says nothing of persistent memory",
    "pmem": "the middleware ran on persistent memory",
}
"""What a verdict is about."""


@dataclass(frozen=True)
class Tolerances:
    """Largest departures that pass, in percent; None is not asked.

    Args:
        throughput_median, throughput_worst: of throughput, over all cases and phases: of fixed pools, and
            apart from those of policies that were named.
        p99_median, p99_worst: of the p99 of interactive requests.
        best_loss: what the pools that the twin calls best (in throughput) may lose to the best measured.
        little_share: windows that may depart from Little's law by more than `comparison.LITTLE_PERCENT`.
        doubted_share: windows that the middleware itself may doubt.
        transfer_loss: what a trained policy may lose of the SLA attainment (or of the median reward) of the best fixed
            pools, in each phase and under changing phases.
    """

    throughput_median: float | None = 3.0
    throughput_worst: float | None = 8.0
    p99_median: float | None = 8.0
    p99_worst: float | None = 20.0
    best_loss: float | None = 2.0
    little_share: float = 5.0
    doubted_share: float = DOUBTED_PERCENT
    transfer_loss: float = 5.0

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                check_range(field.name, value, 0.0, 1e6, "%")

    @classmethod
    def of(cls, medium: str, **changes: float | None) -> Tolerances:
        """The defaults of a medium with `changes`.

        On real memory the host's own scheduling is part of every tail: only throughput is asked by default.
        """
        if medium not in NAMES:
            raise unknown_name("medium", medium, NAMES)
        own = {} if medium == "emulated" else _REAL
        return cls(**{**own, **changes})


_REAL = {"throughput_median": 10.0, "throughput_worst": None, "p99_median": None, "p99_worst": None, "best_loss": None}


def verdict(compared: Mapping, medium: str, tolerances: Tolerances, warnings: Sequence[str] = ()) -> dict:
    """The verdict on a comparison.

    Args:
        compared: of `comparison.compare`.
        medium: one of `MEDIA`.
        warnings: what is known besides, of how it was run.

    Returns:
        `name`: one of `NAMES`, or that with "not" before it, or "undecided"; `outcome`: the worst of the checks';
        `passed`: whether all pass; `medium`; `scope`: what was shown; `checks`: each `what`, `found`, `low`, `high`
        (interval over seeds, if it is an estimate and no count of this very run), `allowed` (percent), `outcome`:
        `PASSES` if the whole interval is allowed, `FAILS` if none of it is, or else `UNDECIDED`, as without one
        (a single seed); `reasons`: sentences; `warnings`: sentences; `tolerances`.
    """
    checks = _checks(compared, tolerances)
    outcomes = {check["outcome"] for check in checks}
    outcome = next((one for one in (FAILS, UNDECIDED) if one in outcomes), PASSES)
    name = NAMES[medium]
    names = {PASSES: name, FAILS: f"not {name}", UNDECIDED: f"undecided {name[name.index('(') :]}"}
    return {
        "name": names[outcome],
        "outcome": outcome,
        "passed": outcome == PASSES,
        "medium": medium,
        "scope": SCOPE[medium],
        "checks": checks,
        "reasons": [_sentence(check) for check in checks],
        "warnings": [*warnings, *cautions(compared, asdict(tolerances), asdict(Tolerances()))],
        "tolerances": asdict(tolerances),
    }


PASSES, FAILS, UNDECIDED = "passes", "fails", "undecided"

JUDGED = {FIXED: "", PATHS: " along policies' own paths"}
"""Groups of comparisons whose errors are asked; a policy that is there for a transfer is asked for that alone."""

_ERRORS = {"throughput_ops": "throughput", "p99_us": "p99"}


def _checks(compared: Mapping, tolerances: Tolerances) -> list[dict]:
    windows = max(compared["windows"], 1)
    asked = []
    for group, where in JUDGED.items():
        for measure, of in compared["errors"].get(group, {}).items():
            if of["missing"] and measure in _ERRORS:
                share = 100.0 * of["missing"] / (of["entries"] + of["missing"])
                asked.append((f"cases without any measured {_ERRORS[measure]}{where}", share, [share, share], 0.0))
            if of["entries"] and measure in _ERRORS:
                asked += [
                    (
                        f"{kind} error of {_ERRORS[measure]}{where}",
                        of[f"{kind}_percent"],
                        of["intervals"][f"{kind}_percent"],
                        getattr(tolerances, f"{_ERRORS[measure]}_{kind}"),
                    )
                    for kind in ("median", "worst")
                ]
    losses = [one for one in compared["best"] if one["measure"] == "throughput_ops"]
    if losses:
        worst = max(losses, key=lambda one: (one["loss_interval"] or [0, one["loss_percent"]])[1])
        what = "loss of throughput by the twin's best pools"
        asked.append((what, worst["loss_percent"], worst["loss_interval"], tolerances.best_loss))
    if compared["little"]["windows"]:
        share = 100.0 * compared["little"]["departing"] / compared["little"]["windows"]
        asked.append(("windows that depart from Little's law", share, [share, share], tolerances.little_share))
    doubted = 100.0 * sum(compared["doubts"].values()) / windows
    asked.append(("windows that the middleware doubts", doubted, [doubted, doubted], tolerances.doubted_share))
    asked += [
        (
            f"{one['workload']}: {one['decided_by']} that the policy loses to fixed pools",
            one["loss_percent"],
            _transfer_interval(one),
            tolerances.transfer_loss,
        )
        for one in compared.get("transfer", ())
    ]
    return [_check(*one) for one in asked if one[-1] is not None]


def _transfer_interval(one: Mapping) -> list[float] | None:
    """Of the loss; a median of rewards is compared as it is."""
    if one["ratio"] is None:
        return [one["loss_percent"]] * 2
    ends = one["ratio"]["high"], one["ratio"]["low"]
    return None if None in ends else [100.0 * (1.0 - end) for end in ends]


def _check(what: str, found: float, ends: Sequence[float] | None, allowed: float) -> dict:
    low, high = ends or (None, None)
    if low is None:
        outcome = UNDECIDED
    else:
        outcome = PASSES if _within(high, allowed) else UNDECIDED if _within(low, allowed) else FAILS
    values = {"what": what, "found": float(found), "low": low, "high": high, "allowed": allowed}
    return values | {"outcome": outcome, "passed": outcome == PASSES}


def _within(value: float, allowed: float) -> bool:
    """Rounding does not decide: 100 (1.05 - 1) is 5.000000000000004."""
    return value <= allowed or math.isclose(value, allowed, rel_tol=1e-9)


def _sentence(check: Mapping) -> str:
    told = f"{check['what']}: {check['found']:.2f} %"
    if check["low"] is None:
        return f"{told} with a single seed, allowed {check['allowed']:g} %: undecided, more seeds are needed"
    if check["high"] > check["low"]:
        told += f" [{check['low']:.2f}, {check['high']:.2f}]"
    ends = {
        PASSES: "within {:g} %",
        FAILS: "beyond {:g} %",
        UNDECIDED: "allowed {:g} %: undecided, more seeds are needed",
    }
    return f"{told}, {ends[check['outcome']].format(check['allowed'])}"
