"""Parts of a changing load: what their windows are like, and what they refuse."""

from itertools import islice

import numpy as np
import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.load import Burst, Drift, Factors, LoadPart, Ramp, RateVariation


def windows(part: LoadPart, count: int, seed: int = 0) -> list[Factors]:
    return list(islice(part.windows(np.random.default_rng(seed)), count))


def logarithms(part: LoadPart, count: int) -> np.ndarray:
    return np.log([factors.rate for factors in windows(part, count)])


def test_a_rate_that_varies_keeps_its_mean():
    rates = np.array([each.rate for each in windows(RateVariation((0.3, 0.1)), 40_000)])
    assert rates.mean(axis=0) == pytest.approx([1.0, 1.0], abs=0.01)


def test_a_rate_varies_as_much_and_as_long_as_it_says():
    values = logarithms(RateVariation((0.3, 0.1), correlation=0.6, persistence=0.8), 40_000)
    assert values.std(axis=0) == pytest.approx([0.3, 0.1], rel=0.03)
    assert np.corrcoef(values.T)[0, 1] == pytest.approx(0.6, abs=0.03)
    assert np.corrcoef(values[1:, 0], values[:-1, 0])[0, 1] == pytest.approx(0.8, abs=0.02)


def test_a_burst_comes_once_in_each_period_for_the_classes_that_burst():
    factors = [each.rate for each in windows(Burst(every=10, length=3, factor=2.5, classes=(1,)), 100)]
    assert factors.count((1.0, 2.5)) == 30 and factors.count((1.0, 1.0)) == 70
    assert factors[:10] == factors[10:20]


def test_where_a_burst_begins_is_drawn():
    first = {
        windows(Burst(every=10, length=1, factor=2.0), 10, seed).index(Factors(rate=(2.0, 2.0))) for seed in range(9)
    }
    assert len(first) > 3


def test_a_ramp_ends_where_it_says_and_stays():
    assert [each.rate[0] for each in windows(Ramp(first=1.0, last=2.0, length=4), 6)] == [
        1.0,
        1.25,
        1.5,
        1.75,
        2.0,
        2.0,
    ]


def test_a_drift_goes_there_and_back_in_few_levels():
    sizes = [each.size[0] for each in windows(Drift("size", to=3.0, every=16, levels=4), 16)]
    assert (min(sizes), max(sizes)) == (1.0, 3.0)
    assert set(sizes) <= {1.0, 1.5, 2.0, 2.5, 3.0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RateVariation((0.1, -0.1)), "rate_sigma: -0.1"),
        (lambda: RateVariation((0.1, 0.1), correlation=1.5), "rate_correlation: 1.5"),
        (lambda: RateVariation((0.1, 0.1), persistence=1.0), "rate_persistence: 1.0"),
        (lambda: Burst(every=4, length=5, factor=2.0), "length: 5"),
        (lambda: Burst(every=4, length=1, factor=0.0), "factor: 0.0"),
        (lambda: Burst(every=4, length=1, factor=2.0, classes=(2,)), "classes"),
        (lambda: Burst(every=4.5, length=1, factor=2.0), "every: 4.5"),
        (lambda: Burst(every=4, length=1.5, factor=2.0), "length: 1.5"),
        (lambda: Ramp(first=1.0, last=2.0, length=0), "length: 0"),
        (lambda: Ramp(first=1.0, last=2.0, length=2.5), "length: 2.5"),
        (lambda: Drift("sizes", to=2.0, every=4), "what: 'sizes'"),
        (lambda: Drift("size", to=2.0, every=4, levels=99), "levels: 99"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_name(make, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        make()


def test_rates_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch):
    part = RateVariation((0.3, 0.1), correlation=0.4, persistence=0.6)
    together = windows(part, 200)
    monkeypatch.setattr("pmtwin.sim.load.variation.BLOCK", 1)
    assert windows(part, 200) == together
