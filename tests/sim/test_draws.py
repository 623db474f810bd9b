"""Random numbers by counter: known bits, any order of asking, tables of the right mean and spread."""

import numpy as np
import pytest
from scipy import special

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import (
    FINE_BINS,
    NOISE_BINS,
    bits,
    class_keys,
    gap_ns,
    gap_table,
    high_uniform,
    lognormal_table,
    low_uniform,
    normal_table,
    place_of,
)

SPLITMIX64_OF_SEED_0 = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
"""First outputs of the reference implementation (Vigna, splitmix64.c)."""

SPLITMIX64_OF_SEED_1234567 = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]


def draw(key: int, index: int, word: int) -> int:
    return int(bits(np.uint64(key), np.uint64(index), np.uint64(word)))


@pytest.mark.parametrize(("key", "expected"), [(0, SPLITMIX64_OF_SEED_0), (1234567, SPLITMIX64_OF_SEED_1234567)])
def test_words_of_consecutive_requests_are_consecutive_outputs_of_splitmix64(key, expected):
    assert [draw(key, index, word) for index, word in ((0, 0), (0, 1), (0, 2), (1, 0))] == expected


def test_bits_do_not_depend_on_what_was_asked_before():
    places = [(index, word) for index in range(50) for word in range(3)]
    forward = {place: draw(7, *place) for place in places}
    backward = {place: draw(7, *place) for place in reversed(places)}
    assert forward == backward
    assert len(set(forward.values())) == len(places)


def test_halves_of_a_word_are_numbers_from_0_to_below_1():
    assert (high_uniform(np.uint64(2**64 - 1)), low_uniform(np.uint64(2**64 - 1))) == (1 - 2**-32, 1 - 2**-32)
    assert (high_uniform(np.uint64(2**63)), low_uniform(np.uint64(2**63))) == (0.5, 0.0)
    assert (high_uniform(np.uint64(2**31)), low_uniform(np.uint64(2**31))) == (0.0, 0.5)


def test_each_class_and_each_root_seed_has_a_key_of_its_own():
    keys = np.concatenate([class_keys(np.random.SeedSequence(seed)) for seed in range(20)])
    assert keys.dtype == np.uint64
    assert len(set(keys.tolist())) == 40


@pytest.mark.parametrize("cov", [0.0, 0.5, 1.0, 2.0, 5.0])
def test_gaps_have_the_mean_and_the_variation_asked_for(cov):
    """Moments of the piecewise linear quantile function, by integration."""
    table = gap_table(rate_ops=200_000.0, cov=cov)
    left, right = table[:-1], table[1:]
    mean = (left + right).mean() / 2
    second = (left**2 + left * right + right**2).mean() / 3
    assert mean == pytest.approx(5_000.0, rel=1e-12)
    assert np.sqrt(max(second - mean**2, 0.0)) / mean == pytest.approx(cov, rel=5e-3, abs=1e-6)
    assert np.all(np.diff(table) >= 0)


def test_constant_gaps_are_exactly_constant():
    table = np.stack([gap_table(8.0, 0.0), gap_table(16.0, 0.0)])
    gaps = [gap_ns(table, c, np.uint64(3), np.uint64(index)) for c in (0, 1) for index in range(100)]
    assert gaps == [125_000_000.0] * 100 + [62_500_000.0] * 100


def test_drawn_gaps_have_the_distribution_of_their_table():
    table = np.stack([gap_table(1e6, 1.0)] * 2)
    gaps = np.array([gap_ns(table, 1, np.uint64(11), np.uint64(index)) for index in range(20_000)])
    assert gaps.mean() == pytest.approx(1_000.0, rel=0.02)
    assert np.mean(gaps > 1_000.0 * np.log(10.0)) == pytest.approx(0.1, abs=0.007)


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.25, 1.0])
def test_noise_is_log_normal_with_mean_1(sigma):
    table = lognormal_table(sigma)
    body, fine = table[:NOISE_BINS], table[NOISE_BINS:].reshape(FINE_BINS, NOISE_BINS)
    assert body.mean() == pytest.approx(1.0, rel=1e-14)
    assert np.log(body).std() == pytest.approx(sigma, rel=5e-3, abs=1e-15)
    assert np.log(body).mean() == pytest.approx(-(sigma**2) / 2, rel=0.01, abs=1e-15)
    assert np.all(np.diff(fine.ravel()) >= 0.0)
    assert fine.mean(axis=1) == pytest.approx(body[-FINE_BINS:], rel=1e-12)


def test_normal_noise_has_mean_0_and_variance_1():
    drawn = _drawn(normal_table(), 1_000_000)
    assert drawn.mean() == pytest.approx(0.0, abs=0.004)
    assert drawn.std() == pytest.approx(1.0, abs=0.003)


@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 5])
def test_noise_reaches_into_the_far_tail(exponent):
    """Of four million draws, 10^-k exceed the quantile of the distribution at 1 - 10^-k, up to one bin of the table."""
    sigma, count = 0.5, 4_000_000
    z = -special.ndtri(10.0**-exponent)
    expected = count * 10.0**-exponent
    few = 4 * np.sqrt(expected) + (count / NOISE_BINS if exponent < 2 else expected / 50)
    assert np.sum(_drawn(normal_table(), count) > z) == pytest.approx(expected, abs=few)
    limit = np.exp(sigma * z - sigma**2 / 2)
    assert np.sum(_drawn(lognormal_table(sigma), count) > limit) == pytest.approx(expected, abs=few)


@njit
def _drawn(table, count):
    drawn = np.empty(count)
    for j in range(count):
        index = np.uint64(j)
        place = np.int64(bits(np.uint64(9), index, np.uint64(0)) & np.uint64(NOISE_BINS - 1))
        drawn[j] = table[place_of(bits(np.uint64(9), index, np.uint64(2)), place)]
    return drawn


def test_no_noise_is_exactly_none():
    assert set(lognormal_table(0.0).tolist()) == {1.0}
