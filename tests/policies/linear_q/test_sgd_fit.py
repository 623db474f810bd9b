"""Fits side by side against `SGDRegressor.fit`: weights, intercept and number of epochs equal to the last bit."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

from pmtwin.policies.linear_q.sgd import LEARNING_RATES, LOSSES, PENALTIES, SgdSettings
from pmtwin.policies.linear_q.sgd_fit import fit_side_by_side

ALPHAS = (0.1, 0.01, 0.001, 0.0001)


def samples(count=150, features=11, seed=0, noise=0.5):
    """Features with a linear law, noise and a few outliers."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, features)) * np.sqrt(8 / features)
    return x, x @ random.normal(size=features) + noise * random.standard_t(2.0, size=count)


def sklearn_fit(x, y, settings, max_iter, seed):
    """(weights, intercept, epochs) of scikit-learn; None if the fit overflowed."""
    model = SGDRegressor(**settings.sklearn_arguments(), max_iter=max_iter, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(x, y)
        except ValueError:
            return None
    return model.coef_.tobytes(), float(model.intercept_[0]), model.n_iter_


def bits(fit):
    return None if fit is None else (fit.weights.tobytes(), fit.intercept, fit.epochs)


@pytest.mark.parametrize(("penalty", "learning_rate"), list(itertools.product(PENALTIES, LEARNING_RATES)))
def test_every_configuration_of_table_d1_gives_the_bits_of_sklearn(penalty, learning_rate):
    x, y = samples()
    settings = [
        SgdSettings(loss, penalty, alpha, learning_rate, eta0=eta0)
        for loss, alpha, eta0 in itertools.product(LOSSES, ALPHAS, (0.01, 0.05))
    ]
    fits = fit_side_by_side(x, y, settings, (100,), seed=3)
    for each, fit in zip(settings, fits, strict=True):
        assert bits(fit) == sklearn_fit(x, y, each, 100, 3), each


def test_penalties_and_exponents_of_all_kinds_are_fitted_in_one_call():
    x, y = samples(seed=1)
    settings = [
        SgdSettings("huber", penalty, 0.01, "invscaling", power_t=power_t, l1_ratio=0.4, epsilon=0.7)
        for penalty, power_t in itertools.product(PENALTIES, (0.1, 0.25, 0.5))
    ]
    for each, fit in zip(settings, fit_side_by_side(x, y, settings, (30,), 5), strict=True):
        assert bits(fit) == sklearn_fit(x, y, each, 30, 5), each


def test_fits_that_overflow_are_none_and_leave_the_others_alone():
    x, y = samples(seed=2)
    x[:, :2] *= 1e150  # so that a usual step leads to weights whose products are infinite, of both signs
    settings = [SgdSettings(eta0=eta0, learning_rate="constant") for eta0 in (1e-12, 0.01, 2e-12)]
    fits = fit_side_by_side(x, y, settings, (100,), 1)
    assert [fit is None for fit in fits] == [False, True, False]
    assert [bits(fit) for fit in fits] == [sklearn_fit(x, y, each, 100, 1) for each in settings]


def test_a_fit_that_goes_on_is_the_longer_fit_from_the_beginning():
    x, y = samples(seed=3)
    settings = [SgdSettings(alpha=alpha, penalty="elasticnet", eta0=0.003) for alpha in ALPHAS]
    for each, fit in zip(settings, fit_side_by_side(x, y, settings, (3, 7, 1000), 2), strict=True):
        assert 7 < fit.epochs < fit.max_iter == 1000
        assert bits(fit) == sklearn_fit(x, y, each, 1000, 2)


def test_a_fit_that_is_not_worth_more_is_cut_off():
    x, y = samples(seed=4)
    (fit,) = fit_side_by_side(x, y, [SgdSettings(eta0=0.003)], (1000, 3), 2, lambda fit: False)
    assert (fit.epochs, fit.max_iter) == (3, 3)
    assert bits(fit) == sklearn_fit(x, y, SgdSettings(eta0=0.003), 3, 2)


def test_predictions_are_those_of_sklearn():
    x, y = samples(count=400, features=44, seed=5)
    (fit,) = fit_side_by_side(x, y, [SgdSettings()], (100,), 2)
    assert fit.predict(x).tobytes() == SGDRegressor(max_iter=100, random_state=2).fit(x, y).predict(x).tobytes()


def test_the_comparison_can_fail():
    x, y = samples(seed=6)
    (fit,) = fit_side_by_side(x, y, [SgdSettings(eta0=np.nextafter(0.01, 1.0))], (100,), 2)
    assert bits(fit) != sklearn_fit(x, y, SgdSettings(), 100, 2)
