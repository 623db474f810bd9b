"""Algorithm 1: the branches, the constants the thesis' published quartiles imply, and what is refused."""

import math

import pytest

from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, Sla, reward
from pmtwin.sim.errors import InputError


@pytest.mark.parametrize(
    ("p99_us", "throughput_ops", "expected"),
    [
        (200.0, 250_000.0, 0.0),  # both goals met exactly: no margin, no reward
        (100.0, 300_000.0, 10 * (100 * 0.000999 + 50_000 * 9e-6)),  # line 9
        (300.0, 240_000.0, -(500 * 100 * 0.000999 + 5000 * 10_000 * 9e-6)),  # line 12
        (300.0, 250_000.0, -500 * 100 * 0.000999),  # line 15: latency alone
        (200.0, 240_000.0, -5000 * 10_000 * 9e-6),  # line 17: throughput alone
        (1200.0, 400_000.0, -499.5),  # throughput to spare does not pay for latency
        (0.0, 0.0, -11_250.0),
    ],
)
def test_every_branch(p99_us, throughput_ops, expected):
    assert reward(p99_us, throughput_ops) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_a_missing_operation_per_second_costs_0_045():
    assert reward(150.0, 249_000.0) - reward(150.0, 249_001.0) == pytest.approx(-0.045, abs=1e-9)
    assert reward(500.0, 249_000.0) - reward(500.0, 249_001.0) == pytest.approx(-0.045, abs=1e-9)


def test_the_goal_is_met_at_equality_and_missed_just_beside_it():
    assert reward(200.0, 250_000.0) == 0.0
    assert reward(math.nextafter(200.0, 300.0), 250_000.0) <= 0.0
    assert not Sla().met_latency(math.nextafter(200.0, 300.0))
    assert not Sla().met_throughput(math.nextafter(250_000.0, 0.0))


def test_own_constants_change_the_slopes():
    params = RewardParameters(max_latency_us=1e5, lat_penalty=1.0, sla=Sla(latency_goal_us=100.0))
    assert reward(200.0, 300_000.0, params) == pytest.approx(-100 * 999 / 1e5)


def test_the_ends_of_the_scale_shift_together_with_min_value():
    shifted = RewardParameters(min_value=1000.0, max_throughput=1_001_000.0)
    assert shifted.throughput_scale == RewardParameters().throughput_scale


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"max_latency_us": 0.0}, "max_latency_us"),
        ({"min_value": 2e6}, "max_latency_us"),
        ({"max_throughput": -1.0}, "max_throughput"),
        ({"max_scale_tp": 1.0}, "max_scale_tp"),
        ({"max_scale_lat": 0.5}, "max_scale_lat"),
        ({"tp_penalty": -1.0}, "tp_penalty"),
        ({"lat_penalty": math.nan}, "lat_penalty"),
        ({"max_latency_us": math.inf}, "max_latency_us"),
    ],
)
def test_constants_that_make_no_sense_are_refused_by_name(arguments, field):
    with pytest.raises(InputError) as error:
        RewardParameters(**arguments)
    assert error.value.field == field


@pytest.mark.parametrize("goals", [{"latency_goal_us": -1.0}, {"throughput_goal_ops": math.nan}])
def test_goals_that_make_no_sense_are_refused(goals):
    with pytest.raises(InputError):
        Sla(**goals)


@pytest.mark.parametrize("measurement", [(math.nan, 1.0), (1.0, math.inf), (-1.0, 1.0)])
def test_a_measurement_that_is_none_is_refused(measurement):
    with pytest.raises(InputError):
        reward(*measurement)
