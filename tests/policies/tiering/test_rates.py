"""Rates of pages: decayed sums at several half-lives, and what they learn about how long popularity stays."""

import numpy as np
import pytest

from pmtwin.policies.tiering.rates import RATIO, SCALES, SHARE, make_rates, note_use, rate

PAGES, HALF_LIFE = 40, 30.0


def used(uses, half_life=HALF_LIFE):
    """Rates after (page, pages, credit) of several requests."""
    rates = make_rates(PAGES, half_life)
    for page, pages, credit in uses:
        note_use(*rates, page, pages, credit)
    return rates


def random_uses(count=3000, seed=0):
    random = np.random.default_rng(seed)
    return [(int(random.integers(PAGES - 3)), int(random.integers(1, 4)), float(random.random())) for _ in range(count)]


def test_a_rate_is_a_weighted_mean_of_decayed_sums():
    uses = random_uses()
    sums, scales = used(uses)
    ends = np.cumsum([pages for _, pages, _ in uses])
    for page in (0, 7, 25):
        expected = 0.0
        for scale in range(SCALES):
            weight = 0.5 ** ((ends[-1] - ends) / (HALF_LIFE * RATIO**scale))
            earned = [credit if page in range(first, first + pages) else 0.0 for first, pages, credit in uses]
            accesses = (weight * [pages for _, pages, _ in uses]).sum()
            expected += scales[SHARE, scale] * (weight * earned).sum() / accesses
        assert rate(sums, scales, page, 1) == pytest.approx(expected, rel=1e-9)
    alone = [rate(sums, scales, page, 1) for page in (3, 4, 5)]
    assert rate(sums, scales, 3, 3) == pytest.approx(np.mean(alone))


def test_sums_stay_finite_however_long_a_run_is():
    uses = random_uses(20_000)
    sums, scales = used(uses, half_life=1.0)  # without smaller sums the weight would be 2 ** 40,000
    assert np.isfinite(sums).all() and np.isfinite(scales[SHARE]).all()
    total = sum(rate(sums, scales, page, 1) for page in range(PAGES))
    assert total == pytest.approx(0.5, abs=0.1)  # the mean credit: what all pages earn per access


def test_weights_learn_how_long_popularity_stays():
    random = np.random.default_rng(1)
    stays = [(int(page), 1, 1.0) for page in np.minimum(random.geometric(0.2, 20_000) - 1, PAGES - 1)]
    drifts = [((page + number // 40) % PAGES, 1, 1.0) for number, (page, _, _) in enumerate(stays)]
    long, short = used(stays)[1][SHARE], used(drifts)[1][SHARE]
    assert long.argmax() == SCALES - 1 and short.argmax() == 0
    assert long.sum() == pytest.approx(1.0) and short.sum() == pytest.approx(1.0)


def test_a_page_without_uses_earns_nothing():
    assert rate(*used([(0, 2, 1.0)]), 5, 1) == 0.0
    assert rate(*used([]), 0, 1) == 0.0
