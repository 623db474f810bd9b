"""`pmtwin bench device`: many random configurations in one call, by the device law alone and with intervals."""

from __future__ import annotations

import numpy as np

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile

__all__ = ["measure", "show"]

POINTS = 10_000


def measure(request: Request) -> dict:
    """Time each operation's law, and its prediction."""
    return race.measure("points", _cases(), request)


def _cases() -> list[Case]:
    profile = load_profile()
    rng = np.random.default_rng(SEED)
    points = {
        "pattern": np.full(POINTS, "random"),
        "access_size_bytes": 2.0 ** rng.integers(6, 21, POINTS),
        "threads": rng.integers(1, 25, POINTS).astype(float),
        "dimms": np.full(POINTS, 6.0),
        "power_w": np.full(POINTS, 15.0),
        "write_operation": np.full(POINTS, ""),
    }
    cases = []
    for operation in sorted(profile.parameters):
        for name, work_of in (("law", _law_of), ("predict", _predict_of)):
            work = work_of(profile, operation, points)
            work()
            cases.append(Case(f"{operation}, random", {name: work}))
    return cases


def _law_of(profile: Profile, operation: str, points: dict) -> Work:
    return lambda: bandwidth_mib_s(profile, operation, "random", points["access_size_bytes"], points["threads"]).size


def _predict_of(profile: Profile, operation: str, points: dict) -> Work:
    points = points | {"operation": np.full(POINTS, operation)}
    return lambda: predict(profile, points)["bandwidth_mib_s"].size
