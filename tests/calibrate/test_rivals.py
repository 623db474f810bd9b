"""Between measured thread counts, rival explanations say how much is not known."""

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.rivals import brackets, spread


@pytest.fixture(scope="module")
def configurations(make_sweep):
    """Sizes 64 B to 256 KiB with 1, 2, 4, 8, 12, 16 and 24 threads, one and six DIMMs, both patterns."""
    return group(make_sweep())[0]


def test_a_count_is_bracketed_by_its_neighbours(configurations):
    aside = configurations.threads == 8
    around = brackets(configurations.take(~aside), configurations.take(aside))
    assert np.all(around.between)
    assert np.all(around.low == 4)
    assert np.all(around.high == 12)


def test_a_count_that_a_similar_size_has_is_measured(configurations):
    at_8 = configurations.threads == 8
    aside = at_8 & (configurations.access_size_bytes == 128)
    assert not np.any(brackets(configurations.take(~aside), configurations.take(aside)).between)
    others = at_8 & (configurations.access_size_bytes <= 2048)
    assert np.all(brackets(configurations.take(~others), configurations.take(aside)).between)


def test_the_nearest_size_with_a_count_on_either_side_tells_the_gap(configurations):
    point = configurations.take((configurations.threads == 8) & (configurations.access_size_bytes == 64))
    short = (configurations.access_size_bytes == 64) & (configurations.threads > 4)
    sparse = (configurations.access_size_bytes == 128) & np.isin(configurations.threads, [8, 12])
    around = brackets(configurations.take(~short & ~sparse), point)
    assert np.all(around.low == 4)
    assert np.all(around.high == 16)  # of 128 B, whose 12 and 8 are missing


def test_beyond_the_largest_count_there_is_no_bracket(configurations):
    aside = configurations.threads == 24
    around = brackets(configurations.take(~aside), configurations.take(aside))
    assert np.all(np.isnan(around.low))
    assert np.all(np.isnan(around.high))


def at_eight(configurations, curve):
    """Spread at 8 threads between 4 and 12, where model and mechanism are `curve`, log bandwidth over threads."""
    point = configurations.take(np.flatnonzero(configurations.threads == 8)[:1])
    around = brackets(configurations.take(configurations.threads != 8), point)
    full = curve(point.threads)
    return spread(curve, point.threads, around, full, full)[0]


def test_explanations_agree_where_nothing_changes_and_part_at_a_knee(configurations):
    assert at_eight(configurations, lambda threads: np.full(threads.shape, 9.0)) == pytest.approx(0.0)
    straight = at_eight(configurations, np.log)
    knee = at_eight(configurations, lambda threads: np.log(np.minimum(threads, 8.0)))
    assert straight < 0.1 < knee
    # 8 of 8 by the model; (4 + 8) / 2 = 6 by a straight line, 4 * 2 ** (log 2 / log 3) by one over the logarithms.
    assert knee == pytest.approx(np.log(8 / 6), rel=0.01)


def test_the_mechanism_is_a_rival_of_what_the_residual_makes_of_it(configurations):
    point = configurations.take(np.flatnonzero(configurations.threads == 8)[:1])
    around = brackets(configurations, point)
    flat = np.full(1, 9.0)
    assert spread(lambda threads: flat, point.threads, around, flat - 0.07, flat)[0] == pytest.approx(0.07)
