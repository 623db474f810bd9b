"""One verdict, with its reasons. Only a run on persistent memory may speak of the device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from scenarios.doubts import DOUBTED_PERCENT
from scenarios.validation.cautions import cautions
from scenarios.validation.comparison import FIXED, PATHS
from sim.errors import check_range, unknown_name

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
        `name`: one of `NAMES`, or that with "not" before it; `passed`; `medium`; `scope`: what was shown; `checks`:
        each `what`, `found`, `allowed` (percent), `passed`; `reasons`: sentences; `warnings`: sentences; `tolerances`.
    """
    checks = _checks(compared, tolerances)
    passed = all(check["passed"] for check in checks)
    name = NAMES[medium]
    return {
        "name": name if passed else f"not {name}",
        "passed": passed,
        "medium": medium,
        "scope": SCOPE[medium],
        "checks": checks,
        "reasons": [_sentence(check) for check in checks],
        "warnings": [*warnings, *cautions(compared, asdict(tolerances), asdict(Tolerances()))],
        "tolerances": asdict(tolerances),
    }


JUDGED = {FIXED: "", PATHS: " along policies' own paths"}
"""Groups of comparisons whose errors are asked; a policy that is there for a transfer is asked for that alone."""

_ERRORS = (
    ("throughput_ops", "throughput", "median", "throughput_median"),
    ("throughput_ops", "throughput", "worst", "throughput_worst"),
    ("p99_us", "p99", "median", "p99_median"),
    ("p99_us", "p99", "worst", "p99_worst"),
)


def _checks(compared: Mapping, tolerances: Tolerances) -> list[dict]:
    windows = max(compared["windows"], 1)
    asked = []
    for group, where in JUDGED.items():
        if errors := compared["errors"].get(group):
            asked += [
                (f"{kind} error of {name}{where}", errors[measure][f"{kind}_percent"], getattr(tolerances, field))
                for measure, name, kind, field in _ERRORS
            ]
    losses = [one["loss_percent"] for one in compared["best"] if one["measure"] == "throughput_ops"]
    if losses:
        asked.append(("loss of throughput by the twin's best pools", max(losses), tolerances.best_loss))
    if compared["little"]["windows"]:
        share = 100.0 * compared["little"]["departing"] / compared["little"]["windows"]
        asked.append(("windows that depart from Little's law", share, tolerances.little_share))
    doubted = 100.0 * sum(compared["doubts"].values()) / windows
    asked.append(("windows that the middleware doubts", doubted, tolerances.doubted_share))
    most = tolerances.transfer_loss
    asked += [
        (f"{one['workload']}: {one['decided_by']} that the policy loses to fixed pools", one["loss_percent"], most)
        for one in compared.get("transfer", ())
    ]
    return [
        {"what": what, "found": float(found), "allowed": allowed, "passed": _passes(float(found), allowed)}
        for what, found, allowed in asked
        if allowed is not None
    ]


def _passes(found: float, allowed: float) -> bool:
    """Rounding does not decide: 100 (1.05 - 1) is 5.000000000000004."""
    return found <= allowed or math.isclose(found, allowed, rel_tol=1e-9)


def _sentence(check: Mapping) -> str:
    outcome = "within" if check["passed"] else "beyond"
    return f"{check['what']}: {check['found']:.2f} %, {outcome} {check['allowed']:g} %"
