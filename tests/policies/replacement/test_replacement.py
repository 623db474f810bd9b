"""Every replacement policy gives the hits of its slow reference, request by request, and what is known of it."""

import itertools

import numpy as np
import pytest

from pmtwin.policies.replacement import make_cache, next_uses, replacement_names, replacement_policy, replay
from pmtwin.policies.replacement.weights import spread_evenly
from pmtwin.sim.errors import InputError
from tests.policies.replacement import reference

REFERENCES = {
    "lru": reference.lru,
    "lfu": reference.lfu,
    "random": reference.random,
    "min": reference.belady,
    "sieve": reference.sieve,
    "s3-fifo": reference.s3_fifo,
    "arc": reference.arc,
    "hedge": reference.hedge,
    **{
        f"ws:feedback={name},misses={misses}": lambda pages, lines, shadow=name == "shadow", misses=misses: (
            reference.weight_sharing(pages, lines, shadow, 4 * misses)
        )
        for name in ("as-written", "shadow")
        for misses in (1, 5)
    },
}
TRACES = 12


def trace(seed: int, requests: int = 500) -> np.ndarray:
    """Skewed requests over 10 to 80 pages, with a sweep and a change of the popular ones."""
    rng = np.random.default_rng(seed)
    pages = int(rng.integers(10, 80))
    drawn = np.minimum(rng.zipf(1.3, requests), pages)
    drawn[requests // 2 :] = pages + 1 - drawn[requests // 2 :]
    start = int(rng.integers(requests - 60))
    drawn[start : start + 60] = np.arange(60) % pages
    return drawn.astype(np.int64) * 7_919


def hits_of(spec: str, pages: np.ndarray, lines: int, seed: int = 0) -> list[bool]:
    cache, future = make_cache(spec, lines, seed), next_uses(pages)
    return [replay(cache, pages[i : i + 1], future[i : i + 1]) == 0 for i in range(len(pages))]


def test_every_policy_has_a_reference():
    assert {replacement_policy(spec).name for spec in REFERENCES} == set(replacement_names())


@pytest.mark.parametrize("spec", REFERENCES)
def test_the_hits_are_those_of_the_reference(spec):
    for seed in range(TRACES):
        pages, lines = trace(seed), (1, 2, 3, 5, 9, 10, 16, 20, 31, 40, 64, 200)[seed]
        assert hits_of(spec, pages, lines) == REFERENCES[spec](pages.tolist(), lines), (seed, lines)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_has_fewer_misses_than_min(seed):
    pages = trace(seed, 3_000)
    for lines in (2, 7, 20):
        misses = {spec: len(pages) - sum(hits_of(spec, pages, lines)) for spec in replacement_names()}
        assert misses["min"] == min(misses.values()) >= len(set(pages.tolist()))


def test_a_larger_cache_under_lru_holds_all_that_a_smaller_one_does():
    pages = trace(5, 2_000)
    hits = [np.array(hits_of("lru", pages, lines)) for lines in (1, 4, 9, 25)]
    assert all((larger | ~smaller).all() for smaller, larger in itertools.pairwise(hits))
    assert not (hits[1] == hits[2]).all()


@pytest.mark.parametrize("spec", [*replacement_names(), "ws:experts=lru+lfu+random,choice=sampled,feedback=shadow"])
def test_blocks_of_any_size_give_the_same_misses(spec):
    pages = trace(3, 2_000)
    future, whole, parts = next_uses(pages), make_cache(spec, 12, seed=4), make_cache(spec, 12, seed=4)
    cuts = [0, 1, 2, 700, 1_999, 2_000]
    split = sum(replay(parts, pages[a:b], future[a:b]) for a, b in itertools.pairwise(cuts))
    assert replay(whole, pages, future) == split


@pytest.mark.parametrize("experts", ["lru+sieve", "arc+s3-fifo+lfu", "min+random"])
def test_any_policies_may_be_experts(experts):
    """All of them follow the same cache, whoever chose the victim; a page is a hit until it is evicted."""
    pages = trace(8, 3_000)
    hits = hits_of(f"ws:experts={experts},choice=sampled,feedback=shadow", pages, 12, seed=1)
    best, worst = sum(hits_of("min", pages, 12)), sum(hits_of("random", pages, 12))
    assert 0.8 * worst < sum(hits) <= best


def test_the_seed_decides_what_is_drawn():
    pages = trace(2, 3_000)
    assert hits_of("random", pages, 8, seed=1) == hits_of("random", pages, 8, seed=1)
    assert hits_of("random", pages, 8, seed=1) != hits_of("random", pages, 8, seed=2)


def test_the_learner_follows_the_better_expert():
    """Popular pages with sweeps between favour LFU; a drifting working set LRU. Shadow feedback learns which."""
    rng = np.random.default_rng(1)
    popular = np.where(rng.random(20_000) < 0.5, rng.integers(0, 10, 20_000), np.arange(20_000) + 1_000)
    drifting = rng.integers(0, 12, 20_000) + np.arange(20_000) // 50
    for pages, better, worse in ((popular, "lfu", "lru"), (drifting, "lru", "lfu")):
        spec = "ws:feedback=shadow,misses=16"
        misses = {name: replay(make_cache(name, 16), pages.astype(np.int64)) for name in (spec, better, worse)}
        assert misses[better] < 0.95 * misses[worse]
        assert misses[spec] < misses[better] + 0.2 * (misses[worse] - misses[better])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lruu", "did you mean 'lru'"),
        ("lru:size=3", "lru alone"),
        ("ws:experts=lru", "two policies or more"),
        ("ws:experts=lru+clock", "clock"),
        ("ws:beta=1.5", "0 to 1"),
        ("ws:beta=nan", "0 to 1"),
        ("ws:feedback=none", "shadow"),
        ("hedge:experts=sieve", "two policies or more"),
        ("hedge:window=0", "0.001"),
    ],
)
def test_a_spec_that_is_not_accepted_is_one_line(spec, message):
    with pytest.raises(InputError, match=message) as error:
        replacement_policy(spec)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spec", ["ws:beta=0,share=0,threshold=0", "ws:misses=100,share=0", "hedge:rate=1e6,share=0"])
def test_experts_that_have_all_lost_their_weight_begin_anew(spec):
    """Without a fixed share a weight can become 0; what the cache then holds is still a cache."""
    pages = trace(6, 5_000)
    future = next_uses(pages)
    least, most = (replay(make_cache(name, 9), pages, future) for name in ("min", "random"))
    assert least <= replay(make_cache(spec, 9), pages) < 1.2 * most


def test_weights_are_those_of_fixed_share():
    weights = np.array([0.2, 0.05, 0.0])
    spread_evenly(weights, 0.3)
    assert weights == pytest.approx([0.66, 0.24, 0.1])
    weights[:] = 0.0
    spread_evenly(weights, 0.3)
    assert weights == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("lines", [0, -1, 1 << 40])
def test_a_cache_without_lines_is_refused(lines):
    with pytest.raises(InputError, match="lines"):
        make_cache("lru", lines)


@pytest.mark.parametrize("lines", [1_025, 4_097, 10_000])
def test_a_plain_policy_takes_64_bytes_a_line_at_most(lines):
    """At numbers of lines just above a power of two as well."""

    def nbytes(value) -> int:
        return value.nbytes if isinstance(value, np.ndarray) else sum(nbytes(each) for each in value)

    for name in replacement_names():
        if name not in ("weight-sharing", "hedge"):
            assert nbytes(make_cache(name, lines)) <= 64 * lines + 512, name
