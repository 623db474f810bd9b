"""The hedge: what it promises of its misses, how it draws, and what it reaches on traffic that changes."""

import numpy as np
import pytest

from pmtwin.policies.replacement import HIT, access, make_cache, replay
from pmtwin.scenarios.two_tier import traffic

LINES, REQUESTS = 64, 20_000


def phases(seed: int, requests: int) -> np.ndarray:
    """Four phases, by turns of independent requests and of pages that age."""
    rng = np.random.default_rng(seed)
    parts = [model(requests // 4, rng) for model in (traffic.irm, traffic.poisson) * 2]
    return np.concatenate([part + number * 10**6 for number, part in enumerate(parts)])


@pytest.mark.parametrize("seed", range(4))
def test_it_misses_what_the_followed_expert_misses_and_at_most_a_cache_more_after_a_change(seed):
    cache, experts = make_cache("hedge", 16, seed), [make_cache(name, 16) for name in ("lru", "lfu", "sieve")]
    misses = followed = 0
    for page in phases(seed, 4_000):
        chosen = int(cache.hedge.state["chosen"][0])
        followed += [access(expert, page, 0) != HIT for expert in experts][chosen]
        misses += replay(cache, np.array([page]))
        assert misses <= followed + 16 * cache.hedge.state["changes"][0]
    assert cache.hedge.state["changes"][0] > 0
    assert misses != followed


def test_the_expert_is_drawn_by_the_weights_and_seldom_changed():
    """Marginally the followed expert has the distribution of the weights, window after window."""
    pages, chosen, changes = phases(1, 1_200), np.zeros((3, 2)), 0
    for seed in range(1_500):
        cache = make_cache("hedge:rate=1,share=0.3", 32, seed)
        replay(cache, pages)
        chosen[int(cache.hedge.state["chosen"][0])] += 1.0 / 1_500
        changes += int(cache.hedge.state["changes"][0])
    assert chosen[:, 0] == pytest.approx(cache.hedge.weights, abs=0.05)
    assert cache.hedge.weights.max() - cache.hedge.weights.min() > 0.05
    assert 0 < changes < 1_500 * 2


@pytest.mark.parametrize("experts", ["lru+lfu", "lru+lfu+sieve"])
def test_it_comes_near_the_better_of_lru_and_lfu_or_below(experts):
    """What the issue asks for: at most 1 % above the better of LRU and LFU on IRM traffic, below both on Poisson."""
    means = {}
    for name, model in (("irm", traffic.irm), ("poisson", traffic.poisson)):
        for spec in ("lru", "lfu", f"hedge:experts={experts}"):
            counts = [replay(make_cache(spec, LINES, seed), model(REQUESTS, np.random.default_rng(seed)))
                      for seed in range(100, 120)]  # fmt: skip
            means[name, spec.partition(":")[0]] = np.mean(counts)
    assert means["irm", "hedge"] <= 1.01 * min(means["irm", "lru"], means["irm", "lfu"])
    assert means["poisson", "hedge"] < min(means["poisson", "lru"], means["poisson", "lfu"])


def test_an_expert_may_be_followed_that_knows_the_future():
    from pmtwin.policies.replacement import next_uses

    pages = phases(3, 8_000)
    misses = {spec: replay(make_cache(spec, 32), pages, next_uses(pages)) for spec in ("hedge:experts=lru+min", "min")}
    assert misses["min"] <= misses["hedge:experts=lru+min"] < 1.1 * misses["min"]
