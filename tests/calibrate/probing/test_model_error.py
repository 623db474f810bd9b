"""What a probe says of its model: the newest configurations, predicted from those before them."""

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.probing.model_error import GROWTH, JUDGED_FROM, ModelError
from pmtwin.calibrate.probing.order import spread_order


@pytest.fixture(scope="module")
def loads(make_sweep):
    return group(make_sweep(operation="load", noise=0.01))[0]


def measured(loads, order, bandwidth=None) -> ModelError:
    """After the candidates of this order, as they were measured or with other bandwidths."""
    error = ModelError(loads, "pmem")
    for candidate in order:
        error.tell(int(candidate), float((loads.bandwidth_mib_s if bandwidth is None else bandwidth)[candidate]))
    return error


def test_no_error_is_told_while_an_operation_has_too_few(loads):
    order = spread_order(loads, seed=0)
    assert measured(loads, order[: JUDGED_FROM - 1]).progress(anew=True) is None
    progress = measured(loads, order[:JUDGED_FROM]).progress()
    assert progress.configurations == JUDGED_FROM and progress.error_percent[0] > 0


def test_the_newest_are_predicted_by_a_model_that_has_not_seen_them(loads):
    """Were they twice as fast, each would be missed by a half: nothing of it is in the model."""
    order = spread_order(loads, seed=0)[:60]
    bandwidth = loads.bandwidth_mib_s.copy()
    bandwidth[order[40:]] *= 2.0
    assert measured(loads, order).progress().error_percent[0] < 10
    assert measured(loads, order, bandwidth).progress().error_percent[0] == pytest.approx(50, abs=5)


def test_it_is_about_the_error_of_all_others(loads):
    from pmtwin.calibrate.estimators import BandwidthRegressor, features_of

    order = spread_order(loads, seed=0)
    estimated = measured(loads, order[:90]).progress().error_percent[1]
    earlier, later = loads.take(order[:90]), loads.take(order[90:])
    predicted = (
        BandwidthRegressor("load").fit(features_of(earlier), earlier.bandwidth_mib_s).predict(features_of(later))
    )
    true = 100.0 * np.mean(np.abs(predicted / later.bandwidth_mib_s - 1.0))
    assert true / 2 < estimated < 3 * true


def test_it_is_told_anew_when_there_are_many_more_or_when_asked(loads):
    order = spread_order(loads, seed=0)
    error = measured(loads, order[:40])
    first = error.progress()
    error.tell(int(order[40]), float(loads.bandwidth_mib_s[order[40]]))
    assert error.progress() is None
    assert error.progress(anew=True).configurations == 41
    for candidate in order[41 : int(41 * (1 + GROWTH)) + 1]:
        error.tell(int(candidate), float(loads.bandwidth_mib_s[candidate]))
    assert error.progress().configurations > first.configurations
    assert error.configurations() == {"load": int(41 * (1 + GROWTH)) + 1}
