"""Requests that end at the same instant: both engines answer them in the same order and cut windows between them."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import load_profile

SYSTEMS = 40


@pytest.mark.parametrize("number", range(SYSTEMS))
def test_engines_agree_where_nothing_is_random(number):
    """Equal requests without noise, few hardware threads, pools resized: ties in every window."""
    rng = np.random.default_rng([21, number])
    shipped = load_profile()
    quiet = replace(shipped, tail=replace(shipped.tail, write_body_sigma=0.0))
    load = ClassWorkload(60, 0.0, 64, 64)
    parameters = {
        "cpu_noise_sigma": 0,
        "cores": int(rng.integers(1, 4)),
        "threads_per_core": int(rng.integers(1, 3)),
        "client_wakeup_ns": float(rng.choice([0.0, 20_000.0])),
        "direct_concurrency": int(rng.integers(1, 60)),
        "spinning_clients": 0,
    }
    twins = [
        Middleware(
            Workload("ties", load, load), quiet, engine, window=WindowSpec(requests=int(10 + number)),
            parameters=parameters, mode="direct" if number % 4 == 0 else "middleware",
        )
        for engine in ("simpy", "compiled")
    ]  # fmt: skip
    for twin in twins:
        twin.start(*[int(size) for size in np.random.default_rng([22, number]).integers(1, 33, 2)])
    for _ in range(5):
        specification, compiled = [twin.run_window() for twin in twins]
        assert compiled == specification
        assert specification.completed == 10 + number
        for expected, actual in zip(*[twin.latencies() for twin in twins], strict=True):
            np.testing.assert_array_equal(actual, expected)
        pools = [int(size) for size in rng.integers(1, 33, 2)]
        for twin in twins:
            twin.resize(*pools)


def test_there_are_ties():
    """The suite above would prove nothing if no two requests ended together."""
    shipped = load_profile()
    quiet = replace(shipped, tail=replace(shipped.tail, write_body_sigma=0.0))
    load = ClassWorkload(60, 0.0, 64, 64)
    twin = Middleware(
        Workload("ties", load, load), quiet, "simpy", window=WindowSpec(requests=200),
        parameters={"cpu_noise_sigma": 0, "cores": 3, "threads_per_core": 1},
    )  # fmt: skip
    twin.start(32, 32)
    ends = []
    original = twin._engine._answer
    twin._engine._answer = lambda c, submitted: (ends.append(twin._engine.env.now), original(c, submitted))
    twin.run_window()
    assert len(set(ends)) < len(ends)
