"""The compiled gradient step against `SGDRegressor.partial_fit`: equal to the last bit, for whole trajectories."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

from pmtwin.policies.linear_q.sgd import (
    LEARNING_RATES,
    LOSSES,
    PENALTIES,
    SgdSettings,
    partial_fit,
    predict_all,
    predict_one,
)
from pmtwin.sim.errors import InputError

FEATURES = 17


class Compiled:
    """One of two models updated by `partial_fit`; the other must stay as it is."""

    def __init__(self, settings, features=FEATURES):
        self.weights, self.intercepts = np.zeros((FEATURES, 2)), np.zeros(2)
        self.counts, self.rows = np.ones(2), np.array([settings.as_row()] * 2)
        self.features = np.array([features, features])

    def partial_fit(self, x, y):
        arrays = self.weights, self.intercepts, self.counts, self.rows, self.features
        partial_fit(*arrays, 1, x, y)

    def untouched(self):
        return not self.weights[:, 0].any() and self.intercepts[0] == 0.0 and self.counts[0] == 1.0


def samples(count, seed, scale=1.0):
    """Features with some zeros, targets with some outliers."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, FEATURES)) * (random.random((count, FEATURES)) < 0.9)
    y = scale * random.standard_t(2.0, size=count)
    return zip(x, y, strict=True)


def assert_same_trajectory(settings, rows):
    """Step both; after each step weights, intercept and counter must have the same bits. Returns the steps made."""
    theirs, ours = SGDRegressor(**settings.sklearn_arguments()), Compiled(settings)
    step = 0
    for step, (x, y) in enumerate(rows, start=1):
        try:
            theirs.partial_fit(x[None], [y])
        except ValueError:  # scikit-learn refuses to go on with overflowed weights; ours must have overflowed too
            ours.partial_fit(x, y)
            assert not np.isfinite(ours.weights[:, 1]).all()
            return step
        ours.partial_fit(x, y)
        assert ours.weights[:, 1].tobytes() == theirs.coef_.tobytes(), f"weights differ after step {step}"
        assert (ours.intercepts[1], ours.counts[1]) == (theirs.intercept_[0], theirs.t_)
    assert ours.untouched()
    return step


@pytest.fixture(autouse=True)
def quiet_sklearn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize(
    ("loss", "penalty", "learning_rate"), list(itertools.product(LOSSES, PENALTIES, LEARNING_RATES))
)
def test_every_combination_of_table_d1_gives_the_bits_of_sklearn(loss, penalty, learning_rate):
    for seed, alpha in enumerate((0.1, 0.01, 0.001, 0.0001)):
        settings = SgdSettings(loss, penalty, alpha, learning_rate)
        assert assert_same_trajectory(settings, samples(60, seed)) > 0


def test_a_long_trajectory_stays_equal():
    settings = SgdSettings(
        "huber", "elasticnet", 0.001, "invscaling", eta0=0.05, power_t=0.3, l1_ratio=0.4, epsilon=0.7
    )
    assert assert_same_trajectory(settings, samples(3000, 1)) == 3000


@pytest.mark.parametrize("loss", LOSSES)
def test_optimal_starts_where_sklearn_starts(loss):
    for alpha in (10.0, 1.0, 0.3, 1e-6):
        assert assert_same_trajectory(SgdSettings(loss, "l2", alpha, "optimal"), samples(20, 3)) > 0


def test_gradients_beyond_1e12_are_clipped_alike():
    settings = SgdSettings("squared_error", "l2", 0.0001, "constant", eta0=1e-3)
    assert assert_same_trajectory(settings, samples(40, 4, scale=1e14)) > 1


@pytest.mark.parametrize("penalty", ["l2", "elasticnet"])
@pytest.mark.parametrize("alpha", [99.9999999, 100.0, 117.7, 500.0])
def test_a_scale_that_reaches_zero_or_nearly_is_folded_in_alike(penalty, alpha):
    settings = SgdSettings("squared_error", penalty, alpha, "constant", eta0=0.01, l1_ratio=0.15)
    assert assert_same_trajectory(settings, samples(60, 5)) == 60


@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
def test_l1_penalties_start_again_in_every_call_and_set_weights_to_zero(penalty):
    settings = SgdSettings("squared_error", penalty, 0.1, "constant", eta0=0.05, l1_ratio=0.8)
    theirs, ours = SGDRegressor(**settings.sklearn_arguments()), Compiled(settings)
    zeros = 0
    for x, y in samples(300, 6, scale=0.1):
        theirs.partial_fit(x[None], [y])
        ours.partial_fit(x, y)
        zeros += int((ours.weights[:, 1] == 0.0).sum())
    assert ours.weights[:, 1].tobytes() == theirs.coef_.tobytes()
    assert zeros > 50


def test_a_model_of_fewer_features_is_that_of_the_shorter_samples():
    settings = SgdSettings("squared_error", "elasticnet", 0.01)
    theirs, ours = SGDRegressor(**settings.sklearn_arguments()), Compiled(settings, features=5)
    for x, y in samples(50, 7):
        theirs.partial_fit(x[None, :5], [y])
        ours.partial_fit(x, y)
    assert ours.weights[:5, 1].tobytes() == theirs.coef_.tobytes()
    assert not ours.weights[5:].any()


def test_the_comparison_can_fail():
    other = SgdSettings(eta0=np.nextafter(0.01, 1.0))
    theirs, ours = SGDRegressor(**SgdSettings().sklearn_arguments()), Compiled(other)
    for x, y in samples(5, 8):
        theirs.partial_fit(x[None], [y])
        ours.partial_fit(x, y)
    assert ours.weights[:, 1].tobytes() != theirs.coef_.tobytes()


def test_predictions_of_all_models_are_those_of_each():
    random = np.random.default_rng(9)
    weights, intercepts, x = random.normal(size=(FEATURES, 9)), random.normal(size=9), random.normal(size=FEATURES)
    out = np.empty(9)
    predict_all(weights, intercepts, x, out)
    assert out.tolist() == [predict_one(weights, intercepts, model, x, FEATURES) for model in range(9)]
    np.testing.assert_allclose(out, x @ weights + intercepts, rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "squared"}, "did you mean 'squared_error'"),
        ({"penalty": "l3"}, "penalty"),
        ({"learning_rate": "adaptive"}, "invscaling"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": float("nan")}, "alpha"),
        ({"eta0": 0.0}, "eta0"),
        ({"alpha": 0.0, "learning_rate": "optimal"}, "more than 0"),
        ({"l1_ratio": 1.5}, "l1_ratio"),
    ],
)
def test_settings_out_of_bounds_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        SgdSettings(**changes)
