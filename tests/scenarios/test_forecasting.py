"""What the predictive controller estimates of the load, and what it does with it."""

import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.policies.predictive import compared_settings
from pmtwin.scenarios.nvm_middleware.forecasting import POINTS, WEIGHTS
from pmtwin.scenarios.nvm_middleware.rate_estimate import RateEstimate
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.system import POOLS
from pmtwin.scenarios.two_tier.scenario import TwoTier
from pmtwin.sim.errors import InputError
from pmtwin.sim.load import RateVariation

VARIATION = RateVariation((0.2, 0.2), correlation=0.0, persistence=0.5)
NOISE = np.array([1e-4, 1e-4])
CALM = np.array([False, False])


@pytest.fixture
def scenario():
    return NvmMiddleware.of(contexts="contended")


def estimate_after(windows, tied=False):
    """The estimate after windows of (rates, who is behind)."""
    estimate = RateEstimate(VARIATION, tied)
    for rates, behind in windows:
        logs = np.log(np.array(rates, dtype=float))
        estimate.update(logs, NOISE, logs, np.array(behind), anew=False)
    return estimate


def test_a_deviation_from_the_level_is_expected_to_shrink_and_another_context_is_not():
    steady = [((100.0, 100.0), CALM)] * 30
    small, large = (estimate_after([*steady, ((rate, 100.0), CALM)]) for rate in (130.0, 1_000.0))
    coming = [np.exp(each.coming_rates()[0][0]) for each in (small, large)]
    assert np.exp(small.mean[0]) == pytest.approx(130.0, rel=0.01)
    assert 110.0 < coming[0] < 120.0, "half of the deviation is left"
    assert coming[1] > 950.0


def test_uncertainty_of_the_coming_rate_is_that_of_its_variation():
    estimate = estimate_after([((100.0, 100.0), CALM)] * 30)
    deviations = np.sqrt(np.diag(estimate.coming_rates()[1]))
    np.testing.assert_allclose(deviations, 0.2 * np.sqrt(1.0 - 0.5**2), rtol=0.1)


def test_answers_of_a_class_that_is_behind_are_a_lower_bound():
    steady = [((100.0, 100.0), CALM)] * 10
    far_below = estimate_after([*steady, ((50.0, 100.0), (True, False))])
    assert np.exp(far_below.mean[0]) == pytest.approx(100.0, rel=0.05)
    above = estimate_after([*steady, ((150.0, 100.0), (True, False))])
    assert np.exp(above.mean[0]) > 150.0


def test_of_tied_classes_that_are_held_up_the_split_is_seen():
    held_up = estimate_after([((100.0, 200.0), CALM)] * 10 + [((50.0, 100.0), (True, False))] * 5, tied=True)
    np.testing.assert_allclose(np.exp(held_up.mean), [100.0, 200.0], rtol=0.1)


def test_the_points_have_the_moments_of_a_normal_distribution():
    assert WEIGHTS.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(WEIGHTS @ POINTS, 0.0, atol=1e-12)
    np.testing.assert_allclose((WEIGHTS[:, None] * POINTS).T @ POINTS, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(WEIGHTS @ POINTS**4, 3.0)


def test_it_goes_where_the_split_of_the_load_asks_for(scenario):
    policy = make_policy("predictive")
    policy.start(PolicyContext.of(scenario))
    observation = np.array([15, 15, 20.0, 20.0, 50, 8192, 0.2, 0.5])
    keep = policy.act(observation)
    assert keep == PolicyContext.of(scenario).stay()
    chosen = []
    for share in (0.1, 0.9):
        policy.start(PolicyContext.of(scenario))
        rates = {"interactive_ops": 360_000.0 * share, "batch_ops": 360_000.0 * (1.0 - share)}
        chosen.append(policy.act(observation, {"p99_us": 150.0, "throughput_ops": 360_000.0, **rates}))
    assert chosen[0][0] < chosen[1][0] and chosen[0][1] > chosen[1][1]


def test_it_does_not_stay_where_a_starved_class_hides_the_rate(scenario):
    policy = make_policy("predictive")
    policy.start(PolicyContext.of(scenario))

    def chosen_after(interactive_ops, batch_ops, batch_queue):
        observation = np.array([16, 1, 0.0, batch_queue, 50, 8192, 0.2, 0.5])
        rates = {"interactive_ops": interactive_ops, "batch_ops": batch_ops}
        return policy.act(observation, {"p99_us": 59.0, "throughput_ops": sum(rates.values()), **rates})

    for _ in range(20):
        chosen_after(320_000.0, 16_000.0, 10.0)
    chosen = [chosen_after(36_000.0, 17_000.0, 199.0) for _ in range(2)]  # no pools keep the goals at these rates
    assert chosen[-1] != PolicyContext.of(scenario).stay() and chosen[-1][1] > 1


def test_what_is_believed_of_the_host_decides(scenario):
    """Another host asks for other pools; which of the sampled ones it runs on is not told."""
    observation = np.array([15, 15, 20.0, 20.0, 50, 8192, 0.2, 0.5])
    info = {"p99_us": 150.0, "throughput_ops": 3.2e5, "interactive_ops": 1.6e5, "batch_ops": 1.6e5}

    def chosen(**options):
        policy = make_policy("predictive")
        policy.start(PolicyContext.of(NvmMiddleware.of(**options)))
        return policy.act(observation, info)

    usual = chosen()
    assert chosen(parameters={"handoff_ns": 20_000.0}) != usual
    assert chosen(host_samples=1, host_seed=3) == usual


def test_the_host_is_found_by_what_windows_show():
    """Forecasts of a host that it is not told come near what that host shows, unless it believes the representative."""
    scenario = NvmMiddleware.of(
        host_samples=1, host_seed=3, load="steady", interactive_rate_ops=8e4, batch_rate_ops=6e5
    )
    system = scenario.system(1, seed=1)
    system.start((15, 15))
    system.run_window()
    errors = {True: [], False: []}
    forecasters = {estimated: scenario.forecaster(host_estimate=estimated) for estimated in errors}
    for window in range(12):
        pools = (5 + window % 6, 12 + window % 4)
        forecasts = {
            estimated: forecaster.forecast(system.observation(), system.measures(), np.array([pools]))
            for estimated, forecaster in forecasters.items()
        }
        system.apply(pools)
        system.run_window()
        shown = system.measures()["throughput_ops"]
        for estimated, forecast in forecasts.items():
            mean = forecast.weights @ forecast.measures["throughput_ops"][:, 0]
            errors[estimated].append(abs(np.log(mean / shown)))
    assert np.median(errors[True][4:]) < 0.04 < np.median(errors[False][4:])


def test_settings_that_are_compared_reach_both_ends():
    compared = compared_settings(POOLS)
    assert compared.min(axis=0).tolist() == list(POOLS.low) and compared.max(axis=0).tolist() == list(POOLS.high)
    assert len(np.unique(compared, axis=0)) == len(compared) < 1024


def test_a_scenario_without_formulas_is_refused():
    with pytest.raises(InputError, match="formulas"):
        make_policy("predictive").start(PolicyContext.of(TwoTier()))
