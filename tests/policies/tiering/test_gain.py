"""Policy `gain`: what enters earns more than what leaves; placement and migration share what they know."""

from contextlib import closing

import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.scenarios.hybrid_storage import HybridStorage
from pmtwin.scenarios.hybrid_storage.halves import JUDGED_ON, TUNED_ON
from pmtwin.scenarios.hybrid_storage.published import TABLE_4, TABLE_5
from pmtwin.sim.hybrid.running import ENGINES, start_run
from tests.sim.hybrid.storages import deciders, random_case

MOST_BYTES = 64


def means(spec, workload, seed=5, length=12_000, pages=8_000, **options):
    """Mean measures over the second half of a short workload."""
    scenario, windows = HybridStorage.of(length=length, footprint_pages=pages, **options), length // 2000
    with closing(scenario.system(workload, seed)) as system:
        for point, policy in make_policy(spec, scenario).inline.items():
            system.decide(point, policy, 3)
        system.start((0, 0))
        rows = []
        for _ in range(windows):
            system.run_window()
            rows.append(system.measures())
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def test_placement_and_migration_share_what_they_know():
    options, pages = random_case(0)
    run = deciders(options, pages, "gain", "gain")
    assert all(mine is theirs for mine, theirs in zip(run.place.arrays, run.migrate.arrays, strict=True))
    other = deciders(options, pages, "gain", "gain:memory=2")
    assert not any(mine is theirs for mine, theirs in zip(other.place.arrays, other.migrate.arrays, strict=True))


def test_they_share_it_where_learning_is_frozen_as_they_learn_nothing():
    options, pages = random_case(0)
    policies = [make_policy("gain", kind=kind) for kind in ("write-placement", "migration")]
    for policy in policies:
        policy.freeze()
    run = deciders(options, pages, *policies)
    assert all(mine is theirs for mine, theirs in zip(run.place.arrays, run.migrate.arrays, strict=True))


def test_a_page_takes_less_than_64_bytes():
    options, pages = random_case(0)
    count = len(pages.home)
    arrays = deciders(options, pages, "gain", "gain").place.arrays
    assert 0 < sum(array.nbytes for array in arrays if array.shape[0] == count) <= MOST_BYTES * count


@pytest.mark.parametrize("seed", range(4))
def test_engines_agree_to_the_last_bit(seed):
    options, pages = random_case(seed)
    runs = [start_run(options, pages, deciders(options, pages, "gain", "gain"), engine, 50, 7) for engine in ENGINES]
    for run in runs:
        run.advance(400)
    (reading, *_), (specified, *_) = [(run.reading(), *run.last()) for run in runs]
    assert reading[:3] == specified[:3]
    assert np.array_equal(runs[0].last()[0], runs[1].last()[0])


def test_hot_data_stay_where_nothing_is_idle():
    specs = ("gain", "write-lru", "lru-clean")
    measures = [means(spec, "ssd-02", length=60_000, idle_measure="time") for spec in specs]
    gain, lru, clean = (each["slowdown"] for each in measures)
    assert gain < 0.95 * min(lru, clean)


def test_pages_that_requests_use_together_leave_together():
    gain, clean = (means(spec, "ResNet50", length=30_000, pages=100_000)["slowdown"] for spec in ("gain", "lru-clean"))
    assert gain < 1.05 * clean  # with single pages 1.5


def test_writes_find_room_where_devices_are_idle():
    gain, lru = (means(spec, "LUN0") for spec in ("gain", "write-lru"))
    assert gain["slowdown"] < 1.1 < lru["slowdown"]


def test_a_price_of_wear_saves_writes():
    cheap, dear = (means(spec, "YCSB-B")["write_amplification"] for spec in ("gain", "gain:wear=1000"))
    assert dear < cheap


def test_the_reward_weighs_wear():
    measures = {"slowdown": 2.0, "write_amplification": 1.5}
    assert HybridStorage.of().reward(measures) == 0.5
    assert HybridStorage.of(wear_weight=0.1).reward(measures) == pytest.approx(0.35)
    assert HybridStorage.of(wear_weight=0.1).reward(measures | {"write_amplification": float("nan")}) == 0.5


def test_each_workload_tunes_or_judges():
    assert set(TUNED_ON) | set(JUDGED_ON) == set(TABLE_4) | set(TABLE_5)
    assert not set(TUNED_ON) & set(JUDGED_ON)
    assert HybridStorage.of().trained_contexts == TUNED_ON
