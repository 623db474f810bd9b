"""Both engines give the same latency for every request, bit for bit: over random systems, resized while running."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.parameters.values import PARAMETERS
from tests.sim.systems import random_workload

CONFIGURATIONS = 240
MORE_KINDS = 8
DRAWN = (
    "cores", "smt_yield", "workers_poll", "worker_wakeup_ns", "handoff_ns", "handoff_contention_threads",
    "timeslice_ns", "kv_contention_threads", "client_wakeup_ns", "cpu_noise_sigma", "spinning_clients",
    "direct_concurrency", "dimms", "hot_write_share", "preemption_share", "handoff_contention_power",
    "handoff_contention_most", "client_contention_clients", "crowding_threads", "handoff_bytes",
    "remote_mix_factor",
)  # fmt: skip


def random_parameters(rng: np.random.Generator) -> dict[str, float]:
    """Values over the whole plausible ranges; few cores, so that waiting for a hardware thread is common."""
    values = {}
    for name in DRAWN:
        parameter = PARAMETERS[name]
        value = rng.uniform(parameter.low, parameter.high)
        values[name] = float(round(value)) if parameter.whole else float(value)
    values["cores"] = float(rng.integers(1, 32))
    if rng.random() < 0.3:
        values["client_wakeup_ns"] = 0.0
    if rng.random() < 0.3:
        values["timeslice_ns"] = 0.0
    values["access_holds_cpu"] = float(rng.random() < 0.4)
    return values


def change(rng: np.random.Generator, twins: list[Middleware], kinds: int) -> None:
    """The same random change of the running system in every twin."""
    kind = rng.integers(4)
    if kind == 0:
        action = int(rng.integers(9))
        for twin in twins:
            twin.perform_action(action)
    elif kind == 1:
        pools = rng.integers(1, 33, 2)
        for twin in twins:
            twin.resize(int(pools[0]), int(pools[1]))
    elif kind == 2:
        workload = random_workload(rng, kinds)
        for twin in twins:
            twin.set_workload(workload)


def agree(rng: np.random.Generator, number: int, kinds: Sequence[int]) -> None:
    """Both engines on a random system and random changes of it, of workloads with so many kinds of operation."""
    workload, parameters = random_workload(rng, kinds[0]), random_parameters(rng)
    mode = "direct" if rng.random() < 0.25 else "middleware"
    window = WindowSpec(requests=int(rng.integers(10, 120)))
    pools = [int(size) for size in rng.integers(1, 33, 2)]
    shipped = load_profile()
    profile = shipped if number % 2 else replace(shipped, access_profile=None)  # by counts, and by parameters
    twins = [
        Middleware(workload, profile, engine=engine, seed=number, window=window, parameters=parameters, mode=mode)
        for engine in ("simpy", "compiled")
    ]
    for twin in twins:
        twin.start(*pools)
    for each in range(6):
        specification, compiled = [twin.run_window() for twin in twins]
        for expected, actual in zip(*[twin.latencies() for twin in twins], strict=True):
            np.testing.assert_array_equal(actual, expected)
        assert compiled == specification
        assert twins[0].get_state() == twins[1].get_state()
        change(rng, twins, kinds[each % len(kinds)])


@pytest.mark.parametrize("number", range(CONFIGURATIONS))
def test_engines_agree_on_every_request(number):
    agree(np.random.default_rng([20, number]), number, (4,))


def test_engines_agree_on_who_was_first_of_those_submitted_at_one_instant():
    """Without a middleware batch requests wait at a window's end, at which interactive clients join; two windows on."""
    agree(np.random.default_rng([30, 255]), 255, (4,))


@pytest.mark.parametrize("requests", [10, 15, 20, 40])
@pytest.mark.parametrize("seed", range(2))
def test_engines_agree_on_requests_that_wait_over_many_windows(requests, seed):
    """Clients of one class join at an instant at which others of both have long been waiting, for one line of two."""
    few, many = ClassWorkload(2, 0.0, 64, 64), ClassWorkload(60, 0.0, 4096, 4096)
    values = {"client_wakeup_ns": 0.0, "direct_concurrency": 2, "spinning_clients": 0.0}
    twins = [
        Middleware(Workload("few", few, many), engine=engine, seed=seed, mode="direct", parameters=values,
                   window=WindowSpec(requests=requests))
        for engine in ("simpy", "compiled")
    ]  # fmt: skip
    for twin in twins:
        twin.start(1, 1)
    for each in range(16):
        assert twins[0].run_window() == twins[1].run_window()
        for expected, actual in zip(*[twin.latencies() for twin in twins], strict=True):
            np.testing.assert_array_equal(actual, expected)
        assert twins[0].get_state() == twins[1].get_state()
        joined = Workload("joined", replace(few, clients=2 + 20 * (each % 3)), many)
        for twin in twins:
            twin.set_workload(joined)


@pytest.mark.parametrize("kinds", [6, 8])
@pytest.mark.parametrize("number", range(MORE_KINDS))
def test_engines_agree_on_inserts_and_removes(kinds, number):
    agree(np.random.default_rng([21, number]), number, (kinds,))


@pytest.mark.parametrize("number", range(MORE_KINDS))
def test_engines_agree_when_kinds_come_and_go(number):
    agree(np.random.default_rng([22, number]), number, (4, 6, 8))


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_operations_in_flight_keep_their_kind_when_others_come(engine):
    """A batch removes, then inserts too: the kinds are counted anew while its requests are in the device."""
    held = ClassWorkload(40, 1.0, 4096, 4096, remove_share=1.0)
    mixed = ClassWorkload(40, 1.0, 4096, 4096, insert_share=0.5, remove_share=0.5)
    reader = ClassWorkload(40, 0.0, 64, 64)
    twin = Middleware(Workload("removes", reader, held), engine=engine, window=WindowSpec(requests=200))
    twin.start(4, 32)
    twin.run_window()
    twin.set_workload(Workload("both", reader, mixed))
    assert twin._model.kinds == Workload("both", reader, mixed).kinds
    after = twin.run_window()
    twin.set_workload(Workload("reads", reader, reader))
    assert twin._model.kinds == Workload("both", reader, mixed).kinds
    assert twin.run_window().completed == after.completed == 200


def test_engines_agree_on_drained_windows(paced):
    twins = [Middleware(paced, engine=engine, window=WindowSpec(seconds=0.003)) for engine in ("simpy", "compiled")]
    for twin in twins:
        twin.start(8, 3)
    for _ in range(4):
        assert twins[0].run_window() == twins[1].run_window()


def test_another_seed_gives_other_latencies(paced):
    """The comparison can fail: one bit of the root seed changes nearly every latency."""
    twins = [Middleware(paced, seed=seed, window=WindowSpec(requests=500)) for seed in (0, 1)]
    for twin in twins:
        twin.start(8, 8)
        twin.run_window()
    first, second = (twin.latencies()[1] for twin in twins)
    assert np.mean(first == second) < 0.01
