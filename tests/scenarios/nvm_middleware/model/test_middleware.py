"""The interface of thesis Tables 3.1 to 3.3: start, stop, statistics, state, actions, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.middleware import State
from pmtwin.scenarios.nvm_middleware.model.pools import ACTIONS
from pmtwin.sim import ClassWorkload, InputError, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.numerics.percentiles import percentile_99

SHORT = WindowSpec(requests=300)


@pytest.fixture
def middleware(paced) -> Middleware:
    started = Middleware(paced, seed=3, window=SHORT)
    started.start(10, 10)
    return started


def run(middleware: Middleware, windows: int = 3) -> list:
    return [middleware.run_window() for _ in range(windows)]


# -- Table 3.1


def test_nothing_runs_before_start(paced):
    middleware = Middleware(paced)
    for call in (middleware.run_window, lambda: middleware.perform_action(0), lambda: middleware.resize(1, 1)):
        with pytest.raises(RuntimeError, match=r"start\(\) comes first"):
            call()
    for call in (middleware.get_stats, middleware.latencies):
        with pytest.raises(RuntimeError, match="no window has passed"):
            call()


def test_get_stats_is_the_last_window(middleware):
    with pytest.raises(RuntimeError, match="no window"):
        middleware.get_stats()
    first = middleware.run_window()
    assert middleware.get_stats() is first
    assert middleware.run_window() is middleware.get_stats()
    assert middleware.get_stats() != first


def test_statistics_are_those_of_the_latencies(middleware):
    stats = middleware.run_window()
    classes, latency_us = middleware.latencies()
    assert (classes.dtype, classes.shape, latency_us.shape) == (np.uint8, (300,), (300,))
    interactive = stats.p99_us, stats.mean_us, stats.interactive_ops
    batch = stats.p99_batch_us, stats.mean_batch_us, stats.batch_ops
    for c, (p99, mean, ops) in enumerate((interactive, batch)):
        class_latency_us = latency_us[classes == c]
        assert p99 == pytest.approx(np.percentile(class_latency_us, 99), rel=1e-12)
        assert mean == pytest.approx(class_latency_us.mean(), rel=1e-12)
        assert ops == pytest.approx(class_latency_us.size / stats.duration_s, rel=1e-12)
    assert stats.completed == 300
    assert stats.throughput_ops == pytest.approx(stats.interactive_ops + stats.batch_ops, rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 99, 100, 101, 102, 1_000])
def test_percentile_is_numpys(size):
    for values in np.random.default_rng(size).lognormal(size=(20, size)).round(1):  # some are equal
        assert percentile_99(values) == pytest.approx(np.percentile(values, 99), rel=1e-12)


def test_percentile_of_nothing_is_0():
    assert percentile_99(np.empty(0)) == 0.0


def test_stop_and_start_begin_anew(middleware):
    first = run(middleware)
    middleware.stop()
    with pytest.raises(RuntimeError, match="no window"):
        middleware.get_stats()
    with pytest.raises(RuntimeError, match=r"start\(\) comes first"):
        middleware.run_window()
    middleware.start(10, 10)
    assert run(middleware) == first


def test_start_while_running_begins_anew(middleware):
    first = run(middleware)
    middleware.start(10, 10)
    assert run(middleware) == first


def test_the_same_seed_gives_the_same_bits_whatever_form_it_has(paced):
    seeds = (5, np.random.SeedSequence(5), np.random.default_rng(5).bit_generator.seed_seq)
    results = []
    for seed in seeds:
        twin = Middleware(paced, seed=seed, window=SHORT)
        twin.start(8, 4)
        results.append((run(twin), twin.latencies()[1].tolist()))
    assert results[0] == results[1] == results[2]


def test_a_seed_sequence_is_left_as_it_was(paced):
    sequence = np.random.SeedSequence(9)
    twins = [Middleware(paced, seed=sequence, window=SHORT) for _ in range(2)]
    for twin in twins:
        twin.start(8, 8)
    assert run(twins[0]) == run(twins[1])
    assert sequence.n_children_spawned == 0


def test_spawned_seeds_differ(paced):
    results = []
    for seed in np.random.SeedSequence(9).spawn(3):
        twin = Middleware(paced, seed=seed, window=SHORT)
        twin.start(8, 8)
        results.append(twin.run_window().mean_us)
    assert len(set(results)) == 3


# -- Table 3.2


def test_state_has_the_features_of_table_3_2(middleware):
    state = middleware.get_state()
    assert state == State(10, 10, 0.0, 0.0, 50.0, 8192.0, 0.2, 0.5)
    middleware.run_window()
    after = middleware.get_state()
    assert after[:2] + after[4:] == state[:2] + state[4:]
    assert after.batch_queue_size > 0.0


def test_a_longer_queue_shows_in_the_state(paced):
    sizes = []
    for batch_threads in (2, 4, 8):
        twin = Middleware(paced, window=WindowSpec(requests=3_000))
        twin.start(8, batch_threads)
        twin.run_window()
        sizes.append(twin.get_state().batch_queue_size)
    assert sizes[0] > sizes[1] > sizes[2]


# -- Table 3.3


@pytest.mark.parametrize(
    ("action", "pools"),
    list(enumerate([(10, 10), (11, 10), (9, 10), (10, 11), (10, 9), (11, 11), (11, 9), (9, 11), (9, 9)])),
)
def test_actions_of_table_3_3(middleware, action, pools):
    assert middleware.perform_action(action) == pools
    assert middleware.get_state()[:2] == pools


@pytest.mark.parametrize(("start", "action", "pools"), [
    ((32, 32), 5, (32, 32)), ((32, 5), 6, (32, 4)), ((1, 1), 8, (1, 1)), ((1, 32), 7, (1, 32)), ((1, 32), 3, (1, 32)),
])  # fmt: skip
def test_actions_stop_at_1_and_32_threads(middleware, start, action, pools):
    middleware.resize(*start)
    assert middleware.perform_action(action) == pools


@pytest.mark.parametrize("action", [-1, 9, 1.5, math.nan])
def test_an_action_that_is_not_in_the_table_is_refused(middleware, action):
    with pytest.raises(InputError, match=r"^action: .*0 to 8"):
        middleware.perform_action(action)
    assert middleware.get_state()[:2] == (10, 10)


def test_the_table_has_nine_different_actions():
    assert len(set(ACTIONS)) == len(ACTIONS) == 9


@pytest.mark.parametrize("bad", [0, 33, -1, 1.5, math.nan, math.inf])
@pytest.mark.parametrize("name", ["interactive_threads", "batch_threads"])
def test_pools_outside_1_to_32_are_refused(middleware, name, bad):
    pools = {"interactive_threads": 10, "batch_threads": 10} | {name: bad}
    for call in (middleware.start, middleware.resize, lambda **pools: middleware.tried(tuple(pools.values()))):
        with pytest.raises(InputError, match=r"^pools: .*interactive_threads, batch_threads.*1 to 32"):
            call(**pools)
    assert middleware.get_state()[:2] == (10, 10)


def test_more_workers_for_an_overloaded_class_shorten_its_latency(paced):
    twin = Middleware(paced, window=WindowSpec(requests=3_000))
    twin.start(8, 2)
    before = twin.run_window()
    twin.resize(8, 8)
    after = twin.run_window()
    assert after.mean_batch_us < before.mean_batch_us
    assert after.throughput_ops > before.throughput_ops


# -- phases


def test_another_phase_changes_what_is_asked_and_time_goes_on(middleware, closed):
    middleware.run_window()
    middleware.set_workload(closed)
    assert middleware.get_state()[4:] == (128.0, closed.batch.mean_size_bytes(), 0.5, 0.4)
    assert middleware.run_window().completed == 300


def test_the_same_phase_again_is_not_noticed(paced):
    twins = [Middleware(paced, window=SHORT) for _ in range(2)]
    for twin in twins:
        twin.start(8, 8)
        twin.run_window()
    twins[1].set_workload(paced)
    assert run(twins[0]) == run(twins[1])


def test_a_phase_may_be_set_before_start(paced, closed):
    changed, direct = Middleware(paced, window=SHORT), Middleware(closed, window=SHORT)
    changed.set_workload(closed)
    for twin in (changed, direct):
        twin.start(4, 4)
    assert run(changed) == run(direct)


def test_a_class_without_clients_is_off():
    nobody = ClassWorkload(0, 0.5, 64, 64, 100_000.0)
    twin = Middleware(Workload("batch only", nobody, ClassWorkload(20, 0.5, 512, 512, 50_000.0)), window=SHORT)
    twin.start(4, 4)
    stats = twin.run_window()
    assert (stats.p99_us, stats.mean_us, stats.interactive_ops) == (0.0, 0.0, 0.0)
    assert set(twin.latencies()[0]) == {1}


# -- what is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "directt"}, "did you mean 'direct'"),
        ({"engine": "simpi"}, "did you mean 'simpy'"),
        ({"profile": "optane"}, "^profile: 'optane'"),
        ({"parameters": {"cores": 0}}, "^cores: 0 "),
        ({"parameters": {"cores": 96, "threads_per_core": 2}}, "hardware threads"),
    ],
)
def test_bad_arguments_are_named(paced, arguments, message):
    with pytest.raises(InputError, match=message):
        Middleware(paced, **arguments)


@pytest.mark.parametrize("value", [0, 9, 10.5, math.nan, 1e9])
def test_bad_window_lengths_are_named(value):
    with pytest.raises(InputError, match=r"^requests_per_window: "):
        WindowSpec(requests=value)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, 61.0])
def test_bad_window_times_are_named(value):
    with pytest.raises(InputError, match=r"^window_seconds: "):
        WindowSpec(seconds=value)


# -- honesty about the range


def test_sizes_and_threads_of_the_data_are_not_extrapolated(paced):
    """The sweep has 1 to 24 threads and powers of two from 64 bytes on."""
    load = ClassWorkload(10, 0.5, 4096, 4096)
    inside = Middleware(Workload("inside", load, load), parameters={"cores": 8})
    assert inside.extrapolated is False
    for pools, mode, beyond in (
        ((12, 12), "middleware", False),
        ((12, 13), "middleware", True),
        ((4, 4), "direct", True),
    ):
        twin = Middleware(paced, mode=mode)
        twin.start(*pools)
        assert twin.extrapolated is beyond


def test_a_phase_change_changes_the_flag():
    inside, outside = ClassWorkload(10, 0.5, 4096, 4096), ClassWorkload(10, 0.5, 4096, 2_000_000)
    off = ClassWorkload(0, 0.5, 16, 16)
    twin = Middleware(Workload("in", inside, off), parameters={"cores": 8}, window=SHORT)
    twin.start(4, 4)
    assert twin.run_window().extrapolated is False
    twin.set_workload(Workload("out", outside, off))
    assert twin.run_window().extrapolated is True


# -- models are kept, but never for another device


def test_another_profile_at_the_same_address_is_another_device(closed):
    """A sampled profile that is thrown away leaves its address, not its model, to the next one."""
    shipped = load_profile()
    results = []
    for factor in (1.0, 2.0, 4.0):
        twin = Middleware(closed, _slower(shipped, factor), window=WindowSpec(requests=1_000))
        twin.start(16, 16)
        results.append(twin.run_window().mean_batch_us)
        del twin
    assert results[0] < results[1] < results[2]


def test_a_profile_loaded_again_finds_the_model(paced):
    assert Middleware(paced)._model is Middleware(paced, load_profile())._model


def _slower(profile, factor: float):
    return replace(profile, idle_latency_ns={key: factor * ns for key, ns in profile.idle_latency_ns.items()})
