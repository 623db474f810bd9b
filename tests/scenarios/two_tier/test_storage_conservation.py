"""Nothing is lost in the whole system, at any time, on random configurations, in either engine."""

import numpy as np
import pytest

from pmtwin.policies.replacement.shipped import SHIPPED
from pmtwin.scenarios.two_tier.storage import kernel
from pmtwin.scenarios.two_tier.storage.costs import Costs, read_costs
from pmtwin.scenarios.two_tier.storage.options import StorageOptions
from pmtwin.scenarios.two_tier.storage.records import CACHED, COMING, NEVER_ENDS, READING, places
from pmtwin.scenarios.two_tier.storage.running import empty_caches, make_storage, simulate_system, started, times_of
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.numerics.stacks import stacked

PLAIN = [name for name, policy in SHIPPED.items() if not policy.clairvoyant]
LEARNING = [  # as many experts as by default: their number is compiled in, which takes 25 s
    "ws",
    "ws:experts=lfu+random,choice=sampled,feedback=shadow",
    "hedge",
    "hedge:experts=arc+s3-fifo+random,window=0.5",
]
ABLE = [*PLAIN, *LEARNING]


def random_system(rng: np.random.Generator, replacement: str) -> System:
    """Few lines, so that all are often pinned; writers, streams, any map, local pages or not."""
    processes, local = int(rng.integers(1, 5)), rng.random() < 0.5
    options = StorageOptions(
        pages=int(rng.integers(8, 90)), cache_lines=int(rng.choice([1, 2, 3, 6, 12])), replacement=replacement,
        operation=str(rng.choice(["read", "read-modify-write"])), pattern=str(rng.choice(["uniform", "sequential"])),
        mapping="block" if local else str(rng.choice(["random", "block-cyclic", "round-robin"])),
        locality="local" if local else "shared", block_pages=int(rng.integers(1, 9)),
        prefetch_lines=int(rng.choice([0, 0, 1, 3])), client_threads=int(rng.integers(1, 9)),
        client_rate=float(rng.choice([20.0, 100.0, 1000.0])), disks=int(rng.integers(1, 5)),
    )  # fmt: skip
    costs = Costs(
        io_ms=float(rng.choice([0.0, 1.0, 8.0])), disk_load=0.3, contention=0.4, write_back=float(rng.random()),
        access_ms=float(rng.choice([0.5, 3.0, 20.0])), access_ms_per_kib=0.0, rpc_us=0.0,
    )  # fmt: skip
    return System(options, costs, processes, threads=int(rng.integers(1, 4)), requests=int(rng.integers(100, 400)))


def check(storage, system: System) -> None:
    """The laws of a moment."""
    tally, state = storage.tally[0], storage.page["state"]
    assert tally["reads"] + tally["prefetches"] == tally["evictions"] + sum(places(storage).values())
    assert tally["arrivals"] == tally["requests"] + np.sum(storage.client["step"] != COMING)
    lines = np.bincount(storage.page["owner"], np.isin(state, (CACHED, READING)), system.processes)
    assert lines.max() <= system.storage.cache_lines
    assert storage.process["buffered"].max() <= system.storage.prefetch_lines


@pytest.mark.parametrize("replacement", ABLE)
@pytest.mark.parametrize("number", range(6))
def test_pages_and_requests_are_conserved_at_every_event_and_both_engines_agree(number, replacement):
    system = random_system(np.random.default_rng([40, number]), replacement)
    storage, responses_s, now, present = make_storage(system, number), 0.0, 0.0, 0
    caches = stacked(empty_caches(system, storage))
    kernel.start(storage)
    while storage.events.size[0]:
        responses_s += present * (storage.events.times[0] - now)
        now = storage.events.times[0]
        kernel.run(storage, caches, 1, NEVER_ENDS)
        check(storage, system)
        present = np.sum(storage.client["step"] != COMING)
    times = times_of(storage)
    assert times.counts["requests"] == storage.tally["arrivals"][0] == system.requests
    if storage.setting["evicting"][0]:  # Little: the time that requests were present is that of their responses
        assert storage.client["response_s"].sum() == pytest.approx(responses_s, rel=1e-9)
        assert not storage.holders.any() and not storage.process["pinned"].any()
    assert times.disk_s <= storage.tally["end_s"][0]
    assert times.counts["in_flight"] == 0

    specification = make_storage(system, number)
    checks = []
    run = started(system, specification, "simpy")
    run.advance(NEVER_ENDS, lambda _: checks.append(check(specification, system)))
    assert times_of(specification) == times and len(checks) == system.requests


def test_the_random_systems_do_what_can_go_wrong():
    """The laws above would prove little if lines were never wanted, victims never dirty and pages never read ahead."""
    seen = [
        simulate_system(random_system(np.random.default_rng([40, number]), name), number).counts
        for number in range(6)
        for name in ABLE
    ]
    for kind in ("hits", "waits", "line_waits", "dirty_evictions", "prefetch_hits"):
        assert sum(each[kind] > 0 for each in seen) >= 6, kind


@pytest.mark.parametrize("lines", [1, 10, 100])
def test_policies_tie_where_all_pages_are_alike(lines):
    """Uniform requests: no policy can know better. A run of 100,000 requests alone varies by about 1 %."""
    workload, means = WORKLOADS["table-viii"], []
    for replacement in ABLE:
        options = StorageOptions(**workload.storage | {
            "pages": 4000, "cache_lines": lines, "replacement": replacement,
        })  # fmt: skip
        system = System(options, read_costs()[0], 16, workload.threads, 100_000)
        runs = [simulate_system(system, seed) for seed in range(4)]
        for counts in (times.counts for times in runs):
            assert counts["reads"] == counts["evictions"] + counts["resident"]
            assert counts["resident"] == 16 * lines
        means.append(np.mean([times.mean_response_ms for times in runs]))
    assert np.ptp(means) <= 0.02 * np.min(means)
