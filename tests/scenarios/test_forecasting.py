"""What the predictive controller estimates of the load, and what it does with it."""

import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.two_tier.scenario import TwoTier
from pmtwin.sim.errors import InputError


@pytest.fixture
def scenario():
    return NvmMiddleware.of(context_set="contended")


@pytest.fixture
def forecaster(scenario):
    return scenario.forecaster()


def test_estimate_averages_small_changes_and_follows_large_ones(forecaster):
    calm = np.array([False, False])
    forecaster._estimate(np.array([100.0, 100.0]), calm)
    forecaster._estimate(np.array([110.0, 200.0]), calm)
    np.testing.assert_allclose(forecaster._rates, [105.0, 200.0])


def test_answers_of_a_class_whose_clients_wait_are_a_lower_bound(forecaster):
    forecaster._estimate(np.array([100.0, 100.0]), np.array([False, False]))
    forecaster._estimate(np.array([50.0, 50.0]), np.array([True, False]))
    np.testing.assert_allclose(forecaster._rates, [100.0, 50.0])


def test_it_goes_where_the_split_of_the_load_asks_for(scenario):
    policy = make_policy("predictive")
    policy.start(PolicyContext.of(scenario))
    observation = np.array([15, 15, 20.0, 100.0, 50, 8192, 0.2, 0.5])
    keep = policy.act(observation)
    assert keep == PolicyContext.of(scenario).stay()
    chosen = []
    for share in (0.1, 0.9):
        policy.start(PolicyContext.of(scenario))
        rates = {"interactive_ops": 360_000.0 * share, "batch_ops": 360_000.0 * (1.0 - share)}
        chosen.append(policy.act(observation, {"p99_us": 150.0, "throughput_ops": 360_000.0, **rates}))
    assert chosen[0][0] < chosen[1][0] and chosen[0][1] > chosen[1][1]


def test_a_measured_latency_corrects_the_forecast(scenario):
    policy = make_policy("predictive:bias_rate=1")
    policy.start(PolicyContext.of(scenario))
    observation = np.array([8, 9, 0.0, 0.0, 50, 8192, 0.2, 0.5])
    info = {"p99_us": 1e6, "throughput_ops": 3.6e5, "interactive_ops": 1.8e5, "batch_ops": 1.8e5}
    policy.act(observation, info)
    assert policy._bias == {"p99_us": 0.5, "throughput_ops": 0.0}, "as far as one window goes"


def test_a_scenario_without_formulas_is_refused():
    with pytest.raises(InputError, match="formulas"):
        make_policy("predictive").start(PolicyContext.of(TwoTier()))
