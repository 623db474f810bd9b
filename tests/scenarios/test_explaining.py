"""`scenarios.nvm_middleware.explaining`: time by station, the station that limits, and what moves the result."""

import numpy as np
import pytest

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware import explaining
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.simulation.moves import Move
from pmtwin.scenarios.simulation.simulation import simulate
from pmtwin.sim.load.workload import CLASSES
from pmtwin.sim.parameters.values import PARAMETERS


def environment(setting=(10, 10), mode="middleware", context=1, **options) -> ControlEnv:
    return ControlEnv(NvmMiddleware.of(**options), context, setting, None, 1, mode)


@pytest.mark.parametrize("options", [{}, {"mode": "direct"}, {"context": 4, "device_samples": 1}])
def test_stations_add_up_to_the_mean_latency_that_simulate_shows(options):
    explained = explaining.explain_time(environment(requests_per_window=500, **options), windows=3, seed=2)
    _, requests = simulate(environment(requests_per_window=500, **options), 3, 2, keep_latencies=True)
    assert explained.windows == 3
    for c, name in enumerate(CLASSES):
        latency_us, time = requests["latency_us"][requests["class"] == c], explained.time[name]
        assert time.requests == latency_us.size
        assert time.mean_us == pytest.approx(latency_us.mean(), rel=1e-9)
        assert sum(each.mean_us for each in time.stations.values()) == pytest.approx(latency_us.mean(), rel=1e-9)
        assert sum(each.percent for each in time.stations.values()) == pytest.approx(100.0)
        slowest = np.sort(latency_us)[-max(round(0.01 * latency_us.size), 1) :]
        assert sum(each.slowest_us for each in time.stations.values()) == pytest.approx(slowest.mean(), rel=1e-9)


def limits(**options) -> str:
    twin = environment(requests_per_window=1000, load="steady", host="assumed", **options)
    return explaining.explain_time(twin, windows=2, seed=0).limits


def test_what_limits_follows_from_the_load_and_the_store():
    few = {"interactive_rate_ops": 20_000.0, "batch_rate_ops": 20_000.0}
    assert limits(**few) == explaining.OFFERED_LOAD
    assert limits() == "hand-off"
    assert limits(setting=(2, 2), parameters={"handoff_ns": 8000.0, "put_software_ns": 10_000.0}) == "store"


def test_long_windows_are_shortened():
    assert explaining.steps(NvmMiddleware.of(drain=True), 100) == 1 + 1 + 2 * len(PARAMETERS)
    assert explaining.steps(NvmMiddleware.of(requests_per_window=10**6), 100) == 2 + 1 + 2 * len(PARAMETERS)


def test_what_moves_the_result(monkeypatch):
    some = ("handoff_ns", "cores", "worker_wakeup_ns")
    monkeypatch.setattr(explaining, "PARAMETERS", {name: PARAMETERS[name] for name in some})
    monkeypatch.setattr(explaining, "MOVED_WINDOWS", 2)
    steps = []
    twin = environment(requests_per_window=500, host="assumed", load="steady")
    explained = explaining.explain(twin, 2, 0, lambda: steps.append(1))
    assert [move.measure for move in explained.moves] == ["p99_us", "throughput_ops"]  # 192 threads are refused
    for move in explained.moves:  # workers poll: waking them moves nothing
        assert move.parameter == "handoff_ns" and (move.low, move.value, move.high) == (8000, 22000, 60000)
    latency, throughput = explained.moves
    assert latency.measured_low < latency.measured < latency.measured_high and latency.elasticity > 0.5
    assert throughput.measured_low > throughput.measured > throughput.measured_high and throughput.elasticity < -0.2
    assert 2 + 1 + 4 <= len(steps) <= explaining.steps(NvmMiddleware.of(requests_per_window=500), 2)


def test_span_is_of_all_three_values():
    assert Move("m", "p", "", 1.0, 0.0, 2.0, 10.0, 20.0, 20.0, None).span == pytest.approx(np.log(2.0))
