"""Many middlewares at once: each shows what it shows alone, to the last bit, on any number of threads."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.replicas import Replicas
from pmtwin.sim import InputError
from pmtwin.sim.device.profile import load_profile
from tests.sim.systems import random_workload

KINDS = 4, 4, 6


def random_middleware(number: int) -> Middleware:
    """Another workload, host, device, window, mode and pools for each number."""
    rng = np.random.default_rng([41, number])
    profile = load_profile()
    twin = Middleware(
        random_workload(rng, int(rng.choice(KINDS))),
        profile if number % 2 else replace(profile, access_profile=None),
        seed=number,
        window=WindowSpec(requests=int(rng.integers(10, 150))),
        parameters={"cores": float(rng.integers(2, 20)), "handoff_ns": float(rng.uniform(1e3, 2e4))},
        mode="direct" if number % 5 == 4 else "middleware",
    )
    twin.start(*rng.integers(1, 33, 2).tolist())
    return twin


def change(rng: np.random.Generator, twin: Middleware) -> None:
    """A random change before the next window, or none."""
    kind = int(rng.integers(4))
    if kind == 0:
        twin.perform_action(int(rng.integers(9)))
    elif kind == 1:
        twin.resize(*rng.integers(1, 33, 2).tolist())
    elif kind == 2:
        twin.set_workload(random_workload(rng, 6))


def shown(twin: Middleware) -> tuple:
    classes, latency_us = twin.latencies()
    return twin.get_stats(), twin.get_state(), classes.tolist(), latency_us.tolist()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_each_is_as_if_it_ran_alone(threads):
    count, windows = 11, 7
    together, alone = ([random_middleware(number) for number in range(count)] for _ in range(2))
    replicas = Replicas(threads)
    for window in range(windows):
        order = np.random.default_rng([42, window]).permutation(count)[: count - window % 3]  # not all in every window
        chosen = [together[k] for k in order]
        stats, queues = replicas.run_windows(chosen)
        for place, k in enumerate(order):
            alone[k].run_window()
            assert shown(together[k]) == shown(alone[k])
            single = alone[k].get_stats()
            assert tuple(field[place] for field in stats) == single
            assert queues[place].tolist() == list(alone[k].get_state()[2:4])
            for twin in (together[k], alone[k]):
                change(np.random.default_rng([43, window, k]), twin)
    replicas.close()


def test_windows_together_and_alone_may_follow_one_another():
    together, alone = ([random_middleware(number) for number in range(3)] for _ in range(2))
    replicas = Replicas(2)
    for window in range(6):
        if window % 2:
            replicas.run_windows(together)
        else:
            for twin in together:
                twin.run_window()
        for twin in alone:
            twin.run_window()
        assert [shown(twin) for twin in together] == [shown(twin) for twin in alone]
    replicas.close()


def test_the_stats_of_a_window_are_those_of_its_model():
    """What is asked for only after the workload has changed is still of the window before."""
    twin, other = random_middleware(1), random_middleware(1)
    Replicas(1).run_windows([twin])
    before = other.run_window()
    for each in (twin, other):
        each.set_workload(random_workload(np.random.default_rng(5), 6))
    assert twin.get_stats() == before


def test_what_cannot_run_together_is_refused():
    twin = Middleware(random_workload(np.random.default_rng(1)), engine="simpy")
    twin.start(2, 2)
    with pytest.raises(InputError, match="engine: 'simpy' is not accepted; allowed: compiled"):
        Replicas(1).run_windows([twin])
    with pytest.raises(InputError, match="middlewares: '2 with one twice'"):
        Replicas(1).run_windows([twin, twin])
    with pytest.raises(InputError, match="threads: 0"):
        Replicas(0)


def test_other_threads_go_on_while_a_window_runs():
    """The compiled call does without Python's lock."""
    twin = Middleware(random_workload(np.random.default_rng(1)), window=WindowSpec(requests=2_000_000))
    twin.start(10, 10)
    replicas, window, turns = Replicas(1), threading.Event(), 0

    def run():
        replicas.run_windows([twin])
        window.set()

    threading.Thread(target=run).start()
    while not window.wait(0.001):
        turns += 1
    assert turns > 10
