"""From states to features: scikit-learn's terms, logarithms, scaling, clipping."""

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures

from pmtwin.policies.linear_q.features import CLIP, FeatureMap, feature_count, term_columns
from pmtwin.sim.errors import InputError

LOG_COLUMNS = (True,) * 6 + (False,) * 2
"""Table 3.2: two pools, two queues and two block sizes are counts or sizes; two write ratios are shares."""


def states(count=400, seed=0):
    random = np.random.default_rng(seed)
    pools, queues = random.integers(1, 33, (count, 2)), random.exponential(50.0, (count, 2))
    sizes = random.choice([50.0, 500.0, 4096.0, 8192.0], (count, 2))
    return np.column_stack([pools, queues, sizes, random.random((count, 2))])


@pytest.mark.parametrize(("degree", "terms"), [(1, 8), (2, 44), (3, 164)])
def test_terms_are_those_of_sklearn_to_the_last_bit(degree, terms):
    raw = FeatureMap(
        degree, np.zeros(8, bool), np.zeros(8), np.ones(8), np.zeros(terms), np.ones(terms)
    )  # neither logarithm nor scaling: the polynomial alone
    x = np.random.default_rng(1).uniform(-CLIP, CLIP, (100, 8))
    theirs = PolynomialFeatures(degree, include_bias=False).fit_transform(x)
    assert raw.transform(x).tobytes() == np.ascontiguousarray(theirs).tobytes()
    assert feature_count(8, degree) == terms == len(term_columns(8, degree))


def test_lower_degrees_are_prefixes():
    assert term_columns(8, 3)[:44] == term_columns(8, 2)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_terms_are_standardised_and_their_squared_length_does_not_grow_with_the_degree(degree):
    x = FeatureMap.fit(states(), degree, LOG_COLUMNS).transform(states())
    np.testing.assert_allclose(x.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(x.std(axis=0), np.sqrt(8 / x.shape[1]))
    np.testing.assert_allclose((x**2).sum(axis=1).mean(), 8.0)


def test_counts_enter_as_logarithms():
    four, eight, sixteen = np.full((3, 8), 7.0)
    four[0], eight[0], sixteen[0] = 3, 7, 15  # log2(1 + x) = 2, 3, 4
    x = FeatureMap.fit(states(), 1, LOG_COLUMNS).transform([four, eight, sixteen])[:, 0]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1])
    x = FeatureMap.fit(states(), 1, (False,) * 8).transform([four, eight, sixteen])[:, 0]
    assert x[2] - x[1] == pytest.approx(2 * (x[1] - x[0]))


def test_states_far_outside_the_data_are_clipped():
    feature_map = FeatureMap.fit(states(), 3, LOG_COLUMNS)
    far, farther = np.full((2, 8), 1e6)
    farther[:] = 1e30
    assert np.array_equal(feature_map.transform([far]), feature_map.transform([farther]))
    assert np.isfinite(feature_map.transform([farther])).all()


def test_a_constant_column_is_no_division_by_zero():
    fixed = states()
    fixed[:, 4] = 50.0
    x = FeatureMap.fit(fixed, 2, LOG_COLUMNS).transform(fixed)
    assert np.isfinite(x).all()
    assert not x[:, 4].any()


@pytest.mark.parametrize(
    "changes",
    [{"degree": 4}, {"degree": 0}, {"mean": np.zeros(7)}, {"scale": np.zeros(8)}, {"term_mean": np.full(8, np.nan)}],
)
def test_a_map_that_does_not_fit_together_is_refused(changes):
    good = {
        "degree": 1,
        "log_columns": np.zeros(8, bool),
        "mean": np.zeros(8),
        "scale": np.ones(8),
        "term_mean": np.zeros(8),
        "term_scale": np.ones(8),
    }
    FeatureMap(**good)
    with pytest.raises(InputError):
        FeatureMap(**(good | changes))
