"""Yardsticks equal an exhaustive search on systems of few pages, and bound one another."""

from itertools import chain, combinations, pairwise

import numpy as np
import pytest

from pmtwin.scenarios.block_traces import Trace
from pmtwin.scenarios.hybrid_storage.yardsticks import optimum, optimum_charged, oracle_epoch
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import devices_of
from pmtwin.sim.hybrid.stream import PAGE_BYTES, make_stream, paged

PAGES = 12
CONFIGS = ("perf", "cost", "pmem")


def drawn(seed, requests=30, writes=0.4, longest=1):
    """Requests of whole pages among `PAGES`."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, longest + 1, requests)
    first = np.minimum((PAGES * rng.random(requests) ** 2).astype(int), PAGES - size)
    stream = make_stream(0.0, first * PAGE_BYTES, size * PAGE_BYTES, rng.random(requests) < writes)
    return paged(stream)


def zipf(requests, pages=1_000):
    """Requests of a page by Zipf popularity, exponent 0.9, 40 % of them writes."""
    rng, popularity = np.random.default_rng(4), np.cumsum(np.arange(1, pages + 1) ** -0.9)
    page = np.searchsorted(popularity, rng.random(requests) * popularity[-1])
    return paged(make_stream(0.0, page * PAGE_BYTES, PAGE_BYTES, rng.random(requests) < 0.4))


def alone(requests, device):
    """(latency of each request on the idle device), one by one."""
    stream, latency = requests.stream, []
    for k in range(len(stream.size)):
        follows = k > 0 and stream.offset[k] == stream.offset[k - 1] + stream.size[k - 1]
        latency.append(device.alone_ns(bool(stream.write[k]), int(stream.size[k]), bool(follows)))
    return latency


def subsets(pages, most):
    ordered = sorted(pages)
    return map(frozenset, chain.from_iterable(combinations(ordered, k) for k in range(min(most, len(ordered)) + 1)))


def searched(requests, devices, capacity, first, is_charged):
    """Least mean latency over all sets of pages on the fast device after every request."""
    fast, slow = devices
    fast_ns, slow_ns = alone(requests, fast), alone(requests, slow)
    up = fast.alone_ns(True, PAGE_BYTES)
    down = fast.alone_ns(False, PAGE_BYTES) + slow.alone_ns(True, PAGE_BYTES)
    count, best = len(fast_ns), {frozenset(): 0.0}
    for k in range(count):
        touched = range(int(requests.first[k]), int(requests.first[k] + requests.pages[k]))
        is_write, after = bool(requests.stream.write[k]), {}
        charged = is_charged and first <= k < count - 1
        for held, cost in best.items():
            for kept in subsets(held | frozenset(touched), PAGES if k == count - 1 else capacity):
                total = cost
                for page in touched:
                    was, remains = page in held, page in kept
                    is_fast = is_write or was
                    if k >= first:
                        total += (fast_ns[k] if is_fast else slow_ns[k]) / len(touched)
                    if charged and is_write and not remains:
                        total += min(down, (slow_ns[k] - fast_ns[k]) / len(touched))
                    elif charged and not is_write and remains != was:
                        total += up if remains else down
                total += down * len(held - kept - frozenset(touched)) if charged else 0.0
                after[kept] = min(after.get(kept, np.inf), total)
        best = after
    return min(best.values()) / (count - first)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("capacity", "first"), [(1, 0), (2, 9), (3, 0)])
def test_the_flow_equals_an_exhaustive_search(config, capacity, first):
    devices = devices_of(config)
    for yardstick, is_charged in ((optimum, False), (optimum_charged, True)):
        requests = drawn(seed=capacity, requests=24)
        result = yardstick(requests, *devices, capacity, first)
        assert result.kind == "exact" and result.method == "min-cost flow"
        assert result.mean_ns == pytest.approx(searched(requests, devices, capacity, first, is_charged), rel=1e-9)


def test_the_flow_of_longer_requests_equals_a_search_that_counts_shares():
    requests, devices = drawn(5, requests=16, longest=3), devices_of("perf")
    result = optimum(requests, *devices, 3, 4)
    assert result.kind == "lower bound"
    assert result.mean_ns == pytest.approx(searched(requests, devices, 3, 4, False), rel=1e-9)


@pytest.mark.parametrize("config", CONFIGS)
def test_an_epoch_has_the_best_of_all_sets_of_pages(config):
    requests, (fast, slow), epoch = drawn(3, requests=60), devices_of(config), 20
    fast_ns, slow_ns = alone(requests, fast), alone(requests, slow)
    total = 0.0
    for begin in range(0, 60, epoch):
        rows = range(begin, begin + epoch)
        total += min(
            sum(fast_ns[k] if int(requests.first[k]) in kept else slow_ns[k] for k in rows)
            for kept in subsets(range(PAGES), 3)
        )
    result = oracle_epoch(requests, fast, slow, 3, epoch=epoch)
    assert result.mean_ns == pytest.approx(total / 60, rel=1e-12)


@pytest.mark.parametrize("yardstick", [optimum, optimum_charged])
def test_capacity_kept_on_average_is_a_bound_and_near_where_capacity_is_many_pages(yardstick):
    devices = devices_of("perf")
    for requests, first, capacities, most in (
        (drawn(0, 400), 100, (1, 3, 12), 0.25),
        (zipf(4_000), 2_000, (40, 120), 0.04),
    ):
        for capacity in capacities:
            flow = yardstick(requests, *devices, capacity, first)
            average = yardstick(requests, *devices, capacity, first, exact=0)
            assert flow.mean_ns * (1 - most) <= average.mean_ns <= flow.mean_ns * (1 + 1e-12)


def test_more_capacity_never_costs_and_moves_always_do():
    requests, devices = drawn(8, requests=300), devices_of("cost")
    free, charged = (
        [yardstick(requests, *devices, capacity, 50).mean_ns for capacity in (1, 2, 4, 8, 12)]
        for yardstick in (optimum, optimum_charged)
    )
    for means in (free, charged):
        assert all(after <= before * (1 + 1e-12) for before, after in pairwise(means))
    assert all(with_moves >= without for with_moves, without in zip(charged, free, strict=True))
    assert free[0] > free[-1] >= optimum(requests, *devices, 12, 50).fast_only_ns


def test_an_oracle_with_all_pages_fast_is_fast_only_and_counts_each_page_once():
    requests = drawn(1, requests=200)
    result = oracle_epoch(requests, *devices_of("perf"), PAGES, epoch=10)
    assert result.over_fast_only == pytest.approx(1.0, rel=1e-12)
    assert result.moves == len(requests.home)


def test_optimum_of_the_example_trace(shared_data):
    """Values of the issue: volumes together, 0.1, 1 and 10 % of the pages, second half measured."""
    (trace,) = Trace(shared_data / "block_traces" / "ssdsim_example.csv.gz", "together").blocks()
    requests = paged(make_stream(np.diff(trace.time_us, prepend=0.0) * 1e3, trace.offset, trace.size, trace.write))
    ratios = [
        optimum(requests, *devices_of("perf"), round(share * len(requests.home)), 5_000).over_fast_only
        for share in (0.001, 0.01, 0.1)
    ]
    assert ratios == pytest.approx([3.879, 2.708, 2.676], abs=5.1e-4)


def test_several_threads_have_an_estimate():
    single = drawn(2, requests=40)
    double = paged(single.stream._replace(thread=np.arange(40, dtype=np.int32) % 2))
    kinds = [optimum(requests, *devices_of("perf"), 3).kind for requests in (single, double)]
    assert kinds == ["exact", "estimate"]


@pytest.mark.parametrize("first", [-1, 30])
def test_a_first_request_out_of_range_is_refused(first):
    with pytest.raises(InputError, match="first measured request"):
        optimum(drawn(0), *devices_of("perf"), 1, first)
