"""What never happens at the stations, seen from inside a SimPy run: overtaking, too many workers, too many accesses."""

import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim import ClassWorkload, Workload
from tests.sim.engines.observed import Observed


def observe(workload: Workload, pools=(8, 8), requests: int = 1_500, mode: str = "middleware", **parameters: float):
    twin = Middleware(workload, engine="simpy", window=WindowSpec(requests=requests), parameters=parameters, mode=mode)
    twin.start(*pools)
    observed = Observed(twin)
    twin.run_window()
    return twin, observed


def test_a_class_is_served_in_the_order_of_submission(paced):
    _, observed = observe(paced)
    for c in range(2):
        submissions = [submitted for submitted, owner in observed.order if owner == c]
        assert len(submissions) > 500
        assert submissions == sorted(submissions)


def test_with_one_worker_a_class_is_answered_in_the_order_of_submission(closed):
    """Then what a request waits and what it takes is the time since the last answer, or since its submission."""
    twin, observed = observe(closed, pools=(1, 1), requests=400, client_wakeup_ns=0)
    classes, latency_us = twin.latencies()
    submitted = [at for at, c in observed.order if c == 0]
    answered = [at + us * 1e3 for at, us in zip(submitted, latency_us[classes == 0], strict=False)]
    assert answered == sorted(answered)


@pytest.mark.parametrize(("cores", "threads_per_core"), [(1, 1), (1, 2), (3, 2), (24, 2)])
def test_accesses_to_the_device_never_exceed_the_hardware_threads(closed, cores, threads_per_core):
    _, observed = observe(closed, (32, 32), cores=cores, threads_per_core=threads_per_core)
    assert 1 <= observed.most_in_device <= cores * threads_per_core
    if cores == 1:
        assert observed.most_in_device == threads_per_core


@pytest.mark.parametrize("pools", [(1, 1), (3, 2), (32, 32)])
def test_as_many_requests_as_workers_are_in_service(closed, pools):
    _, observed = observe(closed, pools)
    assert observed.most_busy == sum(pools)


@pytest.mark.parametrize("concurrency", [1, 7, 60, 200])
def test_without_a_middleware_the_limit_is_the_direct_concurrency(closed, concurrency):
    """Two closed loops of 100 clients would be 200 at once."""
    _, observed = observe(closed, mode="direct", direct_concurrency=concurrency)
    assert observed.most_busy == concurrency


def test_without_a_middleware_the_classes_wait_in_one_line():
    clients = ClassWorkload(40, 0.3, 512, 512)
    _, observed = observe(Workload("line", clients, clients), mode="direct", direct_concurrency=4)
    submitted = [at for at, _ in observed.order]
    assert submitted == sorted(submitted)


def test_without_a_middleware_pools_mean_nothing(closed):
    results = []
    for pools in ((1, 1), (20, 7)):
        twin = Middleware(closed, mode="direct", window=WindowSpec(requests=500))
        twin.start(*pools)
        first = twin.run_window()
        twin.resize(32, 32)
        results.append((first, twin.run_window()))
    assert results[0] == results[1]
