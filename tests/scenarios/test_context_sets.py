"""Sets of contexts: workloads with parameters and goals, picked by name, changed while the middleware runs."""

from contextlib import closing

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec, cli
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware.context_sets import CONTEXT_SETS, DEVICE_BOUND, LEAN_STORE
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.sim.errors import InputError
from pmtwin.sim.load import Burst
from pmtwin.sim.parameters.values import PARAMETERS

SHORT = {"requests_per_window": 500}


def device_bound(**options) -> NvmMiddleware:
    return NvmMiddleware.of(contexts="device-bound", **SHORT, **options)


def test_every_set_has_parameters_of_the_model_within_their_ranges():
    for contexts in CONTEXT_SETS.values():
        for context in contexts.contexts.values():
            for name, value in context.parameters.items():
                low, high = PARAMETERS[name].limits
                assert low <= value <= high, name


def test_device_bound_is_what_its_name_says():
    for context in DEVICE_BOUND.values():
        assert context.parameters["dimms"] == 1.0
        sizes = [size for load in context.workload.classes for size in np.unique(load.sizes(True))]
        assert min(sizes) >= 16 * 1024 and max(sizes) <= 64 * 1024
        assert max(load.write_ratio for load in context.workload.classes) == 0.9


def test_a_context_brings_its_parameters_and_given_ones_override_them():
    values = device_bound(host="assumed", parameters={"dimms": 6.0}).offer(1)[1]
    assert values == LEAN_STORE | {"dimms": 6.0}
    assert NvmMiddleware.of(host="assumed").offer(1)[1] == {}
    inferred = device_bound().offer(1)[1]
    assert LEAN_STORE.items() <= inferred.items(), "a context goes before the inferred host"


def test_the_set_brings_its_goals_unless_others_are_given():
    assert [goal.limit for goal in device_bound().goals] == [2_000.0, 50_000.0]
    assert [goal.limit for goal in NvmMiddleware.of().goals] == [200.0, 250_000.0]
    assert [goal.limit for goal in device_bound(latency_goal_us=900.0).goals] == [900.0, 50_000.0]


def test_a_given_goal_counts_where_it_is_that_of_the_thesis():
    assert [goal.limit for goal in device_bound(latency_goal_us=200.0).goals] == [200.0, 50_000.0]
    assert [goal.limit for goal in device_bound(throughput_goal_ops=250_000.0).goals] == [2_000.0, 250_000.0]
    assert [goal.limit for goal in device_bound(reward_parameters={"max_latency_us": 1e5}).goals] == [2_000.0, 50_000.0]


def test_given_rates_are_those_of_the_context():
    workload = device_bound(batch_rate_ops=1_000.0).workload(2)
    assert workload.batch.rate_ops == 1_000.0
    assert workload.interactive.rate_ops == DEVICE_BOUND[2].workload.interactive.rate_ops


def test_a_changing_context_is_a_phase_with_parts_under_the_load_of_the_options():
    changing, phases = (NvmMiddleware.of(contexts=name, host="assumed") for name in ("changing", "phases"))
    burst, phase = changing.workload(1), phases.workload(1)
    assert burst.classes == phase.classes and not burst.tied
    assert burst.parts == (Burst(every=40, length=6, factor=1.4), *phase.parts)
    steady = NvmMiddleware.of(contexts="changing", load="steady").workload(1)
    assert steady.tied and len(steady.parts) == 1 and steady.interactive.rate_ops == 150_000.0


def test_mix_and_sizes_drift_while_a_changing_context_runs():
    env = ControlEnv(NvmMiddleware.of(contexts="changing", **SHORT), 3, (10, 10), None, 0)
    with closing(env):
        env.reset(seed=0)
        observations = np.array([env.carry_out((10, 10))[0] for _ in range(100)])
    assert np.ptp(observations[:, 7]) > 0.2 and np.ptp(observations[:, 5]) > 2_000.0, "batch mix and size"


def test_the_set_is_replayed_at_full_speed_in_proportion_unless_a_varying_load_is_asked_for():
    assert device_bound().workload(1).tied
    assert not device_bound(host="assumed", load="varying").workload(1).tied


def stats(twin: Middleware) -> tuple:
    twin.run_window()
    return tuple(np.round(twin.latencies()[1], 9))


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_parameters_change_while_the_middleware_runs(engine):
    first, then = DEVICE_BOUND[1], NvmMiddleware.of().workload(1)
    window = WindowSpec(requests=200)
    twins = [
        Middleware(first.workload, engine=each, window=window, parameters=first.parameters)
        for each in (engine, "compiled")
    ]
    results = []
    for twin in twins:
        twin.start(4, 4)
        latencies = [stats(twin)]
        for change in ((then, {}), (first.workload, first.parameters), (first.workload, {"dimms": 6.0})):
            twin.set_workload(*change)
            latencies.append(stats(twin))
        results.append(latencies)
    assert results[0] == results[1]
    assert len(set(results[0])) == 4


def test_parameters_alone_are_a_change():
    twin = Middleware(DEVICE_BOUND[1].workload, window=WindowSpec(requests=500), parameters=LEAN_STORE)
    twin.start(8, 8)
    slow = [twin.run_window().throughput_ops for _ in range(3)][-1]
    twin.set_workload(DEVICE_BOUND[1].workload, LEAN_STORE | {"dimms": 6.0})
    assert [twin.run_window().throughput_ops for _ in range(3)][-1] > 3.0 * slow


def test_the_machine_stays_what_it_is_while_it_runs():
    twin = Middleware(DEVICE_BOUND[1].workload, parameters=LEAN_STORE)
    twin.set_workload(DEVICE_BOUND[1].workload, {"cores": 8.0})
    twin.start(2, 2)
    with pytest.raises(InputError, match=r"cores.*8, as when the middleware was started"):
        twin.set_workload(DEVICE_BOUND[1].workload, {})


def test_an_environment_goes_from_context_to_context():
    with closing(ControlEnv(device_bound(), 1, (4, 2), None)) as env:
        env.reset(seed=1)
        for context in (3, 4, 1):
            env.set_context(context)
            env.carry_out((4, 2))
            assert env.context == context
        with pytest.raises(InputError, match="phase"):
            env.set_context(5)


def test_the_best_pools_for_dram_do_badly_on_one_module():
    def throughput(profile: str, pools: tuple[int, int]) -> float:
        with closing(ControlEnv(device_bound(profile=profile), 1, pools, None, 2)) as env:
            env.reset(seed=1)
            return float(np.median([env.carry_out(pools)[4]["throughput_ops"] for _ in range(3)]))

    few, many = (3, 2), (16, 16)
    assert throughput("optane-dcpmm-100", few) > 1.8 * throughput("optane-dcpmm-100", many)
    assert throughput("dram-ddr4", few) < 1.2 * throughput("dram-ddr4", many)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--contexts", "device-bound", "--phase", "5"], "--phase: '5' is not accepted; allowed: 1, 2, 3, 4"),
        (["--contexts", "device"], "--contexts: 'device' is not accepted"),
        (
            ["--contexts", "device-bound", "--workload", "svd"],
            "--workload svd does not go with --contexts device-bound",
        ),
        (["--contexts", "device-bound", "--engine", "native"], "'device-bound' is not accepted; allowed: phases"),
    ],
)
def test_bad_input_is_one_line(words, message, capsys):
    assert cli.main(["simulate", "nvm-middleware", *words]) == 2
    error = capsys.readouterr().err
    assert message in error and len(error.splitlines()) == 1


def test_evaluate_and_train_take_a_set(capsys, tmp_path):
    run = ["--policies", "fixed:3,1", "--steps", "4", "--phase-steps", "2", "--seeds", "1", "--jobs", "1"]
    run += ["--phases", "1,3", "--requests-per-window", "200", "--contexts", "device-bound"]
    assert cli.main(["evaluate", "nvm-middleware", *run]) == 0
    train = ["-o", str(tmp_path / "policy.json"), "--contexts", "device-bound", "--dry-run"]
    assert cli.main(["train", "nvm-middleware", *train]) == 0
    assert "device-bound" in capsys.readouterr().out


def test_both_classes_are_in_every_context():
    assert all(
        load.clients > 0
        for name, contexts in CONTEXT_SETS.items()
        for number in contexts.numbers
        for load in NvmMiddleware.of(contexts=name).workload(number).classes
    )
