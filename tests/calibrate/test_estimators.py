"""The law as a regressor: scikit-learn's own checks, and what only this one promises."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from pmtwin.calibrate.estimators import FEATURES, BandwidthRegressor, configurations_of, features_of
from pmtwin.calibrate.measurements import group
from pmtwin.sim.errors import InputError

OF_MORE_COLUMNS = (
    "check_dtype_object",
    "check_fit2d_1sample",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_regressors_train",
)
EXPECTED = dict.fromkeys(OF_MORE_COLUMNS, "its data has more columns than a configuration")
EXPECTED["check_sample_weight_equivalence_on_dense_data"] = "more columns; and the residual counts a repeated row once"


@pytest.fixture(scope="module")
def loads(make_sweep):
    """Random loads of six DIMMs, with noise of 1 %."""
    configurations, _ = group(make_sweep(operation="load", noise=0.01))
    return configurations.take((configurations.dimms == 6) & configurations.random)


def test_scikit_learns_checks_pass_where_the_data_has_no_more_columns_than_a_configuration():
    results = check_estimator(BandwidthRegressor(max_evaluations=5), expected_failed_checks=EXPECTED, on_skip=None)
    statuses = {result["check_name"]: result["status"] for result in results}
    assert {name for name, status in statuses.items() if status == "xfail"} == set(EXPECTED)
    assert sum(status == "passed" for status in statuses.values()) >= 40


def test_x_and_configurations_are_the_same_thing(loads):
    again = configurations_of("load", features_of(loads), loads.bandwidth_mib_s)
    for name in FEATURES:
        assert np.array_equal(getattr(again, name), getattr(loads, name))


def test_a_fit_predicts_what_it_has_seen_and_says_how_sure_it_is(loads):
    X, y = features_of(loads), loads.bandwidth_mib_s
    regressor = BandwidthRegressor("load").fit(X, y)
    assert np.median(np.abs(regressor.predict(X) / y - 1)) < 0.01
    _, deviation = regressor.predict_log(X)
    _, far = regressor.predict_log([[1, 3e6, 300, 6, 15]])
    assert np.all(deviation > 0) and far[0] > np.median(deviation)
    bare = BandwidthRegressor("load", residual=False).fit(X, y)
    assert bare.residual_ is None and np.isnan(bare.predict_log(X)[1]).all()


def test_columns_that_are_left_out_are_a_full_set_at_the_reference_power(loads):
    X, y = features_of(loads), loads.bandwidth_mib_s
    regressor = BandwidthRegressor("load", residual=False)
    assert np.array_equal(regressor.fit(X[:, :3], y).predict(X[:, :3]), regressor.fit(X, y).predict(X))


def test_a_configuration_of_weight_0_is_as_one_that_is_not_there(loads):
    X, y = features_of(loads), loads.bandwidth_mib_s
    weights = np.arange(len(X)) % 3 > 0
    spoilt = np.where(weights, y, 50.0 * y)
    weighted = BandwidthRegressor("load", max_evaluations=20).fit(X, spoilt, sample_weight=weights.astype(float))
    without = BandwidthRegressor("load", max_evaluations=20).fit(X[weights], y[weights])
    assert np.array_equal(weighted.predict(X), without.predict(X))


def test_cross_validation_and_grid_search_work_with_it(loads):
    X, y = features_of(loads), loads.bandwidth_mib_s
    regressor = BandwidthRegressor("load", max_evaluations=20)
    scores = cross_val_score(regressor, X, y, cv=3, scoring="neg_mean_absolute_percentage_error")
    assert np.all(scores > -0.2)
    search = GridSearchCV(regressor, {"residual": [False, True], "prior_weight": [0.01]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"residual", "prior_weight"}


def test_constructor_arguments_are_stored_untouched():
    regressor = BandwidthRegressor("ntstore", media="dram", loss_scale=0.1)
    assert clone(regressor).get_params() == regressor.get_params()
    with pytest.raises(NotFittedError):
        regressor.predict([[1, 256, 4]])


@pytest.mark.parametrize(
    ("X", "y", "named"),
    [
        ([[1, 256, 4]] * 3, [1, 2, 0], "must be positive"),
        ([[1, -256, 4]] * 3, [1, 2, 3], "Negative values"),
        ([[1, np.nan, 4]] * 3, [1, 2, 3], "NaN"),
        ([[1, 256, 4, 6, 15, 9]] * 3, [1, 2, 3], "6 columns"),
    ],
)
def test_impossible_data_is_refused(X, y, named):
    with pytest.raises(ValueError, match=named):
        BandwidthRegressor().fit(X, y)


def test_an_unknown_operation_is_refused():
    with pytest.raises(InputError, match="did you mean 'load'"):
        BandwidthRegressor("loads").fit([[1, 256, 4]] * 3, [1, 2, 3])


def test_the_line_of_the_media_depends_on_the_kind_of_memory():
    X = [[1, 64, 1], [1, 64, 16], [1, 256, 1], [1, 256, 16], [1, 64, 4], [1, 256, 4]]
    y = [5000, 60000, 6000, 70000, 20000, 24000]
    lines = {
        media: BandwidthRegressor("load", media=media).fit(X, y).mechanism_.parameters for media in ("dram", "pmem")
    }
    assert lines["dram"]["media_line_bytes"] == 64.0 and "media_line_bytes" not in lines["pmem"]
