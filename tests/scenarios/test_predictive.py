"""What the predictive controller estimates of the load."""

import numpy as np
import pytest

from pmtwin.policies import PolicyContext
from pmtwin.scenarios.nvm_middleware.predictive import Predictive
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.two_tier.scenario import TwoTier
from pmtwin.sim.errors import InputError


@pytest.fixture
def policy():
    policy = Predictive()
    policy.start(PolicyContext.of(NvmMiddleware()))
    return policy


def test_nothing_measured_keeps_the_pools(policy):
    assert policy.act(np.zeros(8)) == PolicyContext.of(NvmMiddleware()).stay()


def test_estimate_averages_small_changes_and_follows_large_ones(policy):
    calm = np.array([False, False])
    policy._estimate(np.array([100.0, 100.0]), calm)
    policy._estimate(np.array([110.0, 200.0]), calm)
    np.testing.assert_allclose(policy._rates, [105.0, 200.0])


def test_answers_of_a_class_whose_clients_wait_are_a_lower_bound(policy):
    policy._estimate(np.array([100.0, 100.0]), np.array([False, False]))
    policy._estimate(np.array([50.0, 50.0]), np.array([True, False]))
    np.testing.assert_allclose(policy._rates, [100.0, 50.0])


def test_other_scenarios_are_refused():
    with pytest.raises(InputError, match="nvm-middleware"):
        Predictive().start(PolicyContext.of(TwoTier()))
