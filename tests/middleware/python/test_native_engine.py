"""Engine `native`: the real middleware under the environment, the policies and the windows of the twin."""

import copy
import pickle
import signal
from itertools import pairwise

import numpy as np
import pytest

from pmtwin.middleware import binding
from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.comparison.rollout import Block, run_policy
from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.model.pools import ACTIONS
from pmtwin.scenarios.nvm_middleware.model.traces import trace_block
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.sim.draws import class_keys
from pmtwin.sim.errors import InputError, MissingDependencyError

REQUESTS = 400
SLOW = {"interactive_rate_ops": 20_000.0, "batch_rate_ops": 10_000.0}


@pytest.fixture(scope="module", autouse=True)
def _built():
    try:
        binding.load()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture
def environment():
    """Makes environments over the real middleware, and stops them."""
    made = []

    def make(**settings):
        settings = {"native": {"store": "map", "keys": 20}, "requests_per_window": REQUESTS, **settings}
        made.append(NvmMiddlewareEnv(engine="native", episode_steps=None, initial_pools=(4, 4), **settings))
        return made[-1]

    yield make
    for env in made:
        env.close()


def test_windows_have_as_many_requests_as_asked_and_follow_one_another(environment):
    env = environment(**SLOW)
    env.reset(seed=1)
    engine = env.system.middleware._engine
    windows = [engine.run_window(REQUESTS, (267, 133)) for _ in range(5)]
    for window in windows:
        assert window.latency_ns.shape == window.classes.shape == (REQUESTS,)
        assert (window.latency_ns > 0).all()
        assert window.end_ns > window.start_ns
    assert all(after.start_ns >= before.end_ns for before, after in pairwise(windows))


def test_offered_rates_and_shares_are_those_of_the_trace(environment):
    env = environment(**SLOW)
    env.reset(seed=1)
    stats = [env.carry_out(0)[4] for _ in range(10)]
    seconds = sum(each["duration_s"] for each in stats)
    interactive = sum(each["interactive_ops"] * each["duration_s"] for each in stats)
    batch = sum(each["batch_ops"] * each["duration_s"] for each in stats)
    assert interactive + batch == pytest.approx(10 * REQUESTS)
    assert abs(interactive - 2 * 10 * REQUESTS / 3) <= 200  # a class leads the trace by at most a request a client
    assert (interactive + batch) / seconds < 1.2 * 30_000  # never faster than it is offered, but for the trace's noise


def test_a_load_that_varies_is_offered_as_it_varies(environment):
    env = environment(load="varying", requests_per_window=2000, **SLOW)
    env.reset(seed=1)
    offered, shown = [], []
    for _ in range(12):
        offered.append(20_000.0 * env.system.middleware.coming_rates()[0])
        shown.append(env.carry_out(0)[4]["interactive_ops"])
    assert max(offered) > 1.5 * min(offered)
    assert np.corrcoef(np.log(offered), np.log(shown))[0, 1] > 0.6


def test_a_closed_loop_keeps_every_client_busy(environment):
    env = environment(workload=make_workload("section-4.2"))
    env.reset(seed=1)
    for _ in range(5):
        env.carry_out(0)
        # an answered request is in the middleware's count until its worker, one of eight, takes it off
        assert 0 < env.system.middleware.observed().counted <= 200 + 8
    assert env.system.middleware._engine.outstanding().sum() <= 200


def test_littles_law_holds_in_a_long_window(environment):
    env = environment(workload=make_workload("section-4.2"), requests_per_window=10_000)
    env.reset(seed=1)
    observed = env.system.middleware.observed()
    # an answered request is in the middleware's count until its worker, one of eight, takes it off
    assert observed.counted == pytest.approx(observed.stamped, rel=0.01, abs=8)


def test_without_a_middleware_clients_call_the_store_and_wait_for_their_turn(environment):
    env = environment(workload=make_workload("section-4.2"), mode="direct", parameters={"direct_concurrency": 20})
    env.reset(seed=1)
    queued = []
    for _ in range(3):
        observed = env.carry_out(0)[0]
        assert env.system.middleware.latencies()[0].size == REQUESTS
        assert "fail" not in env.system.middleware.validity_warning()
        # of 200 clients; an answered request is in the middleware's count until its thread takes it off
        assert 0 < env.system.middleware.observed().counted <= 200 + 20
        queued.append(observed[2] + observed[3])
    assert max(queued) > 20  # 180 where nobody sleeps


def test_without_a_middleware_a_phase_change_loses_nothing(environment):
    env = environment(**SLOW, mode="direct", parameters={"direct_concurrency": 30})
    env.reset(seed=1, options={"phase": 2})
    for phase in (1, 4):
        env.set_context(phase)
        for _ in range(2):
            env.carry_out(0)
            assert env.system.middleware.latencies()[0].size == REQUESTS
            assert "fail" not in env.system.middleware.validity_warning()
    clients = [load.clients for load in env.scenario.workload(env.context).classes]
    assert (env.system.middleware._engine.outstanding() <= clients).all()


@pytest.mark.parametrize("way", [copy.deepcopy, pickle.dumps])
def test_a_real_system_is_not_copied(environment, way):
    env = environment(**SLOW)
    env.reset(seed=1)
    with pytest.raises(InputError, match="engine: 'native' cannot be copied or pickled while it runs"):
        way(env)
    env.carry_out(0)


def test_nothing_is_lost_or_doubled_while_pools_and_phases_change(environment):
    env = environment(**SLOW)
    env.reset(seed=2, options={"phase": 2})
    rng = np.random.default_rng(0)
    for phase in (1, 3, 4, 2):
        env.set_context(phase)
        for _ in range(5):
            pools, action = rng.integers(1, 33, 2), int(rng.integers(9))
            env.system.apply(tuple(pools.tolist()))
            env.carry_out(action)
            expected = np.clip(pools + ACTIONS[action], 1, 32).tolist()
            assert list(env.system.middleware.observed().state[:2]) == expected  # as the middleware itself counts them
            assert env.system.middleware.latencies()[0].size == REQUESTS
            assert "fail" not in env.system.middleware.validity_warning()
    clients = [load.clients for load in env.scenario.workload(env.context).classes]
    assert (env.system.middleware._engine.outstanding() <= clients).all()


@pytest.mark.parametrize("spec", ["fixed:3,5", "threshold", "random"])
def test_policies_run_unchanged(environment, spec):
    env = environment(**SLOW)
    result = run_policy(make_policy(spec), PolicyContext.of(env.scenario), env, [Block(1, 3), Block(4, 3)], seed=3)
    assert result.context.tolist() == [1, 1, 1, 4, 4, 4]
    assert (result.measures["p99_us"] > 0).all()
    assert ((result.setting >= 1) & (result.setting <= 32)).all()


def test_the_trace_is_the_twins():
    twin = NvmMiddlewareEnv(load="steady", **SLOW)
    model = twin.scenario.options.twin.middleware(twin.scenario.workload(1), seed=5)._model
    keys = class_keys(np.random.SeedSequence(5))
    gap_ns, size_bytes, writes = trace_block(model, keys, 0, 0, 20_000)
    assert set(size_bytes.tolist()) == {50}
    assert writes.mean() == pytest.approx(0.2, abs=0.02)
    assert 1e9 / gap_ns.mean() == pytest.approx(20_000, rel=0.2)
    again = trace_block(model, keys, 0, 10_000, 10_000)
    assert all((a[10_000:] == b).all() for a, b in zip((gap_ns, size_bytes, writes), again, strict=True))


ROUNDED_US = 0.01
"""Stamps of the emulated machine are whole nanoseconds, and requests take over each other's rounding."""


@pytest.fixture
def emulated(environment):
    if not hasattr(binding.load(), "Emulated"):
        pytest.skip("the native module was built without the emulated device")
    return lambda **settings: environment(native={"store": "emulated", "dilation": 40.0}, **settings)


@pytest.mark.parametrize("settings", [{"load": "steady"}, {"load": "varying", "contexts": "contended"}])
def test_on_the_emulated_device_every_window_is_the_twins(emulated, few_threads, settings):
    usual = {"requests_per_window": REQUESTS, "initial_pools": (4, 4), "episode_steps": None}
    native, twin = emulated(**settings), NvmMiddlewareEnv(**usual, **settings)
    for env in (native, twin):
        env.reset(seed=7)
    for action in (0, 5, 6, 8):
        ours, theirs = native.carry_out(action), twin.carry_out(action)
        assert ours[4]["pools"] == theirs[4]["pools"]
        assert ours[4]["p99_us"] == pytest.approx(theirs[4]["p99_us"], abs=ROUNDED_US)
        assert ours[4]["throughput_ops"] == pytest.approx(theirs[4]["throughput_ops"], rel=1e-4)
        assert ours[0][:4] == pytest.approx(theirs[0][:4], rel=0.01, abs=0.01)  # by the monitor, as by the twin
        assert ours[0][4:] == pytest.approx(theirs[0][4:], rel=0.2, abs=0.1)  # of those that came, not of all
        seen = native.system.middleware.observed()
        assert seen.counted == pytest.approx(seen.stamped, rel=0.02)
        classes, latency_us = native.system.middleware.latencies()
        around = np.quantile(latency_us[classes == 0], 0.99, method="lower"), np.max(latency_us[classes == 0])
        assert 0.99 * around[0] <= seen.p99_us <= 1.01 * around[1]  # of a histogram


def test_a_policy_sees_what_came_and_not_what_a_new_phase_will_bring(emulated, few_threads):
    env = emulated()
    env.reset(seed=7, options={"phase": 1})
    env.carry_out(0)
    before = env.system.middleware.get_state()
    env.set_context(4)
    assert env.system.middleware.get_state() == before
    env.carry_out(0)
    assert env.system.middleware.get_state()[4:] != before[4:]


@pytest.mark.parametrize("settings", [{"phase": 1}, {"phase": 3}, {"workload": make_workload("section-4.2")}])
def test_without_a_middleware_every_answer_on_the_emulated_device_is_the_twins(emulated, environment, settings):
    few = {"cores": 4, "direct_concurrency": 50}  # of 200 clients or more, so that some wait for their turn
    settings = settings | {"mode": "direct", "parameters": few, "host": "assumed"}
    twin = NvmMiddlewareEnv(
        load="steady", requests_per_window=REQUESTS, initial_pools=(4, 4), episode_steps=None, **settings
    )
    native = environment(native={"store": "emulated"}, **settings)  # the least dilation: requests are short
    for env in (native, twin):
        env.reset(seed=7)
    waited = []
    for _ in range(3):
        ours, theirs = native.carry_out(0), twin.carry_out(0)
        (classes, latency_us), (twin_classes, twin_latency_us) = (
            e.system.middleware.latencies() for e in (native, twin)
        )
        for c in range(2):
            assert latency_us[classes == c] == pytest.approx(twin_latency_us[twin_classes == c], abs=ROUNDED_US)
        assert ours[4]["throughput_ops"] == pytest.approx(theirs[4]["throughput_ops"], rel=1e-4)
        assert 0 < native.system.middleware.observed().counted <= 400
        assert "fail" not in native.system.middleware.validity_warning()
        waited.append(ours[0][2:4].sum())
    assert ("workload" in settings) == (min(waited) > 1)


@pytest.fixture
def few_threads(monkeypatch):
    """Tables of the emulated device for pools of up to eight: those for 32 take seconds."""
    monkeypatch.setattr("pmtwin.middleware.emulated.MOST_POOLS", (8, 8))
    monkeypatch.setattr("pmtwin.middleware.emulated._TABLES", [])


def test_on_the_emulated_device_a_phase_change_is_the_twins_where_nothing_waits(emulated, few_threads):
    same = {"requests_per_window": REQUESTS, "initial_pools": (4, 4), "episode_steps": None, "load": "steady", **SLOW}
    native, twin = emulated(**SLOW), NvmMiddlewareEnv(**same)
    for env in (native, twin):
        env.reset(seed=7, options={"phase": 1})
    for phase in (3, 4, 2):
        for env in (native, twin):
            env.set_context(phase)
        ours, theirs = native.carry_out(0)[4], twin.carry_out(0)[4]
        assert ours["p99_us"] == pytest.approx(theirs["p99_us"], abs=ROUNDED_US)
        assert ours["batch_ops"] == pytest.approx(theirs["batch_ops"], rel=1e-4)
        assert "fail" not in native.system.middleware.validity_warning()


def test_a_window_of_the_emulated_device_ends_with_a_signal_and_the_next_one_is_whole(emulated, few_threads):
    env = emulated()
    env.reset(seed=7)

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            env.system.middleware._engine.run_window(1 << 60, (1 << 60, 1 << 60))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert env.system.middleware._engine.run_window(REQUESTS, (267, 133)).latency_ns.size == REQUESTS


def test_requests_that_wait_while_the_phase_changes_are_answered_as_what_they_were(emulated, few_threads):
    env = emulated()
    env.reset(seed=7, options={"phase": 2, "pools": (1, 1)})
    waited = env.carry_out(0)[0][3]
    assert waited > 100  # writes of batch clients among them, which phase 3 has none of
    env.set_context(3)
    for _ in range(2):
        env.carry_out(0)
        assert env.system.middleware.latencies()[0].size == REQUESTS
        assert "fail" not in env.system.middleware.validity_warning()
    clients = [load.clients for load in env.scenario.workload(env.context).classes]
    assert env.system.middleware.observed().counted <= sum(clients)  # those that are too many have left


def test_a_dilation_at_which_the_emulation_would_lie_is_refused(environment):
    if not hasattr(binding.load(), "Emulated"):
        pytest.skip("the native module was built without the emulated device")
    with pytest.raises(InputError, match="dilation"):
        environment(native={"store": "emulated", "dilation": 1.0}).reset(seed=1)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"native": {"store": "disk"}}, "store"),
        ({"native": {"store": "pmemkv"}}, "path"),
        ({"native": {"store": "map", "dilation": 100.0}}, "dilation"),
        ({"native": {"storage": "map"}}, "native"),
        ({"drain": True}, "window_seconds"),
        ({"workload": make_workload("ycsb-f")}, "ycsb-f"),
    ],
)
def test_what_it_cannot_do_is_refused_by_name(environment, settings, field):
    with pytest.raises(InputError, match=field):
        environment(**settings).reset(seed=1)


def test_settings_of_the_middleware_without_it_are_refused():
    with pytest.raises(InputError, match="native"):
        NvmMiddlewareEnv(native={"store": "map"})
