"""Both classes from formulas: beside the compiled engine, monotone where they must be, and the same every time."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.analytic.predict import Predictor, predict
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.sim import ClassWorkload, InputError, Workload
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.file import read_host
from pmtwin.sim.parameters.values import resolve

HOST = read_host("inferred").values
OFF = ClassWorkload(0, 0.0, 64, 64)


def model_of(workload, direct=False, **parameters):
    return build_model(load_profile(), workload, resolve({**HOST, **parameters}), direct)


def phase(number, rates=(150e3, 150e3), tied=False):
    return replace(phase_workload(number, *rates), tied=tied)


def simulated(workload, pools, windows=60, engine="compiled"):
    twin = Middleware(workload, engine=engine, seed=3, parameters=HOST)
    twin.start(*pools)
    for _ in range(8):
        twin.run_window()
    latencies, seconds = [[], []], 0.0
    for _ in range(windows):
        seconds += twin.run_window().duration_s
        classes, latency = twin.latencies()
        for c in range(2):
            latencies[c].append(latency[classes == c])
    parts = [np.concatenate(each) for each in latencies]
    return np.array([[each.size / seconds, each.mean(), np.percentile(each, 99)] for each in parts])


AGREEMENT = [
    (1, (15, 5), (150e3, 150e3), False),
    (1, (15, 15), (150e3, 60e3), False),
    (4, (20, 20), (80e3, 150e3), False),
    (3, (6, 25), (60e3, 90e3), True),
    (2, (15, 5), (150e3, 150e3), True),
    (1, (30, 30), (20e3, 20e3), False),
]


@pytest.mark.parametrize(("number", "pools", "rates", "tied"), AGREEMENT)
def test_the_formulas_are_near_the_simulation(number, pools, rates, tied):
    workload = phase(number, rates, tied)
    result = predict(model_of(workload), pools)
    expected = simulated(workload, pools)
    assert result.ops[0] == pytest.approx(expected[:, 0], rel=0.03)
    assert result.mean_us[0] == pytest.approx(expected[:, 1], rel=0.05)
    assert result.percentile_us[0, :, 1] == pytest.approx(expected[:, 2], rel=0.12)


@pytest.mark.parametrize("wakeup_ns", [0.0, 30_000.0])
def test_one_client_at_once_sees_its_service(wakeup_ns):
    workload = Workload("one", ClassWorkload(1, 0.0, 1_000, 1_000), OFF)
    result = predict(model_of(workload, client_wakeup_ns=wakeup_ns, cpu_noise_sigma=0.0), (4, 1))
    twin = Middleware(
        workload, parameters={**HOST, "client_wakeup_ns": wakeup_ns, "cpu_noise_sigma": 0.0},
        window=WindowSpec(requests=20_000),
    )  # fmt: skip
    twin.start(4, 1)
    stats = twin.run_window()
    assert result.ops[0, 0] == pytest.approx(stats.throughput_ops, rel=0.01)
    assert result.mean_us[0, 0] == pytest.approx(stats.mean_us, rel=0.01)
    assert result.ops[0, 1] == 0.0


def test_few_clients_of_a_fast_trace_take_turns():
    """As many workers as clients: the trace waits for clients, whose way back is part of the time."""
    load = ClassWorkload(3, 0.0, 1_000, 1_000, rate_ops=1e6)
    result = predict(model_of(Workload("three", load, OFF)), (8, 1))
    at_once = predict(model_of(Workload("three", replace(load, rate_ops=None), OFF)), (8, 1))
    assert result.ops[0, 0] == pytest.approx(at_once.ops[0, 0], rel=0.02)
    assert result.mean_us[0, 0] == pytest.approx(at_once.mean_us[0, 0], rel=0.02)


def test_all_pools_of_a_phase_are_finite_and_ordered():
    pools = np.array([(first, second) for first in range(1, 33) for second in range(1, 33)])
    for number, tied in ((1, False), (4, True)):
        result = predict(model_of(phase(number, tied=tied)), pools, percentiles=(10.0, 50.0, 90.0, 99.0, 99.9))
        assert all(np.isfinite(each).all() and (each > 0.0).all() for each in result)
        assert (np.diff(result.percentile_us, axis=2) >= 0.0).all()
        assert (result.ops <= 150e3 * (1.0 + 1e-9)).all()


def test_more_load_is_never_quicker():
    rates = np.column_stack([np.linspace(5e3, 200e3, 60), np.full(60, 20e3)])
    result = predict(model_of(phase(1)), np.tile((8, 8), (60, 1)), rates)
    assert (np.diff(result.mean_us[:, 0]) > -0.1).all()
    assert (np.diff(result.ops[:, 0]) > -1.0).all()


def test_tied_classes_keep_the_proportion_of_their_rates():
    result = predict(model_of(phase(1, (150e3, 75e3), tied=True)), (15, 2))
    assert result.ops[0, 0] == pytest.approx(2.0 * result.ops[0, 1], rel=1e-3)


def test_the_same_again_and_many_at_once():
    model, pools = model_of(phase(2)), np.array([(3, 4), (15, 15), (32, 1)])
    together = predict(model, pools)
    for place, each in enumerate(pools):
        alone = predict(model, each)
        assert all(np.array_equal(part[place], other[0]) for part, other in zip(together, alone, strict=True))


def test_without_checks_the_numbers_are_the_same():
    model = model_of(phase(1))
    quick = Predictor(model)(np.array([(15, 15)]), np.array([(1.5e-4, 1.5e-4)]))
    assert np.array_equal(1e9 * quick[:, :, 0], predict(model, (15, 15)).ops)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"pools": (0, 5)}, "interactive_threads"),
        ({"pools": (5, 33)}, "batch_threads"),
        ({"pools": (5, 5), "rates_ops": (0.0, 1e5)}, "rates_ops"),
        ({"pools": (5, 5), "percentiles": (100.0,)}, "percentiles"),
        ({"pools": (5, 5), "window": 1}, "window"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, field):
    with pytest.raises(InputError, match=field):
        predict(model_of(phase(1)), **arguments)


def test_no_middleware_is_refused():
    with pytest.raises(InputError, match="engine"):
        predict(model_of(phase(1), direct=True), (5, 5))
