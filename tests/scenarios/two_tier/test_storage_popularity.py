"""What clients ask for: Zipf popularity drawn exactly, ranks that drift, and the same requests for all."""

import numpy as np
import pytest

from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.options import StorageOptions
from pmtwin.scenarios.two_tier.storage.popularity import alias_tables, requested_page
from pmtwin.scenarios.two_tier.storage.running import make_storage, simulate_system
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.sim.errors import ConflictError

CLIENTS = 4


def asked(count: int, seed: int = 0, **options) -> np.ndarray:
    """Shape (clients, count): pages that the clients of two processes ask for."""
    options = StorageOptions(**{"pages": 50, "client_threads": CLIENTS // 2} | options)
    storage = make_storage(System(options, read_costs()[0], 2, 1, 0), seed, window=10)
    pages = np.zeros((CLIENTS, count), int)
    for k in range(count):
        for client in range(CLIENTS):
            pages[client, k] = requested_page(storage, client, k)
            storage.tally["requests"] += 1
    return pages


@pytest.mark.parametrize("skew", [0.0, 0.5, 1.0, 2.5])
@pytest.mark.parametrize("pages", [1, 2, 7, 1000])
def test_the_tables_give_each_rank_its_share(skew, pages):
    weights = np.arange(1, pages + 1) ** -skew
    kept, other = alias_tables(weights)
    shares = kept.copy()
    np.add.at(shares, other, 1.0 - kept)
    assert shares / pages == pytest.approx(weights / weights.sum(), rel=1e-9)


def test_requests_follow_the_distribution():
    counts = np.sort(np.bincount(asked(5_000, skew=1.0).ravel(), minlength=50))[::-1]
    expected = 20_000 * (1 / np.arange(1, 51)) / (1 / np.arange(1, 51)).sum()
    assert ((counts - expected) ** 2 / expected).sum() < 90.0  # chi square of 49 degrees: 1 in 3,000 is above


def test_seeds_and_clients_ask_for_different_pages_and_the_same_seed_for_the_same():
    pages = asked(300, seed=1, skew=1.0)
    assert (pages == asked(300, seed=1, skew=1.0)).all()
    assert (pages != asked(300, seed=2, skew=1.0)).mean() > 0.5
    assert (pages[0] != pages[1]).mean() > 0.5


def test_under_drift_each_page_falls_by_a_rank_and_the_last_becomes_the_first():
    still, moved = (
        asked(200, skew=8.0),
        asked(200, skew=8.0, drift=50 * CLIENTS),
    )  # nearly every request is for the first rank
    favourites = [np.bincount(moved[:, k : k + 50].ravel()).argmax() for k in range(0, 200, 50)]
    assert favourites[0] == np.bincount(still.ravel()).argmax()
    assert len(set(favourites)) == 4


def test_clients_of_local_pages_have_their_own_ranks():
    pages = asked(400, skew=1.5, mapping="block", locality="local")
    assert pages[:2].max() < 25 <= pages[2:].min()
    assert all(np.bincount(each).max() > 100 for each in pages)


def test_clients_walk_through_their_part_again_and_again():
    pages = asked(30, pattern="sequential")
    assert pages[0].tolist()[:13] == [*range(12), 0]
    assert pages[1][0] == 12


def test_a_run_to_the_end_can_be_skewed_too():
    system = System(StorageOptions(pages=400, cache_lines=20), read_costs()[0], 2, 4, 4_000)
    skewed = system._replace(storage=StorageOptions(pages=400, cache_lines=20, skew=1.2))
    plain, popular = (simulate_system(each, 0, "compiled").counts for each in (system, skewed))
    assert popular["reads"] < 0.6 * plain["reads"]
    assert simulate_system(skewed, 0, "simpy") == simulate_system(skewed, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drift": 5}, "belongs to --skew"),
        ({"skew": 1.0, "pattern": "sequential"}, "does not go with --pattern sequential"),
        ({"requests_from": "x.csv", "skew": 1.0}, "does not go with --requests-from"),
    ],
)
def test_requests_are_of_one_kind(options, words):
    with pytest.raises(ConflictError, match=words):
        StorageOptions(**options)
