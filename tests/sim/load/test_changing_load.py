"""A twin under a load that changes from window to window."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim.errors import InputError
from pmtwin.sim.load import Burst, Drift, RateVariation
from pmtwin.sim.load.workload import ClassWorkload, Workload


def workload(rate_ops: float = 20_000.0, **changes) -> Workload:
    load = ClassWorkload(clients=100, write_ratio=0.2, read_sizes_bytes=100, write_sizes_bytes=100, rate_ops=rate_ops)
    return Workload("test", load, load, **changes)


def throughputs(load: Workload, windows: int, seed: int = 0, requests: int = 2_000) -> np.ndarray:
    twin = Middleware(load, seed=seed, window=WindowSpec(requests=requests))
    twin.start(8, 8)
    return np.array([twin.run_window().throughput_ops for _ in range(windows)])


def test_untied_classes_each_follow_their_own_trace():
    """A slow batch class takes nothing from the interactive one, which a tied one waits for."""
    slow = replace(workload(), batch=replace(workload().batch, rate_ops=400_000.0, read_sizes_bytes=60_000))
    shares = {}
    for tied in (True, False):
        twin = Middleware(replace(slow, tied=tied), window=WindowSpec(requests=4_000))
        twin.start(8, 1)
        stats = [twin.run_window() for _ in range(10)][-1]
        shares[tied] = stats.interactive_ops
    assert shares[False] == pytest.approx(20_000, rel=0.1)
    assert shares[True] < 0.5 * shares[False]


def test_throughput_follows_a_rate_that_varies():
    calm, varied = (throughputs(workload(tied=False, parts=parts), 60) for parts in ((), (RateVariation((0.3, 0.3)),)))
    assert calm.std() / calm.mean() < 0.05
    assert varied.std() / varied.mean() == pytest.approx(0.3 / np.sqrt(2), rel=0.4)


def test_a_burst_offers_as_much_more_as_it_says():
    rates = throughputs(workload(tied=False, parts=(Burst(every=10, length=5, factor=2.0),)), 20)
    assert np.sort(rates)[-5:].mean() / np.sort(rates)[:5].mean() == pytest.approx(2.0, rel=0.1)


def test_drained_windows_release_what_the_rate_of_the_window_offers():
    twin = Middleware(workload(parts=(Burst(every=2, length=1, factor=3.0),)), window=WindowSpec(seconds=0.05))
    twin.start(8, 8)
    counts = sorted(twin.run_window().completed for _ in range(4))
    assert counts == [2000, 2000, 6000, 6000]


def test_a_drift_of_sizes_and_clients_shows_in_the_state():
    parts = (Drift("size", to=4.0, every=8, levels=2), Drift("clients", to=0.5, every=8, levels=2))
    twin = Middleware(workload(parts=parts), window=WindowSpec(requests=500))
    twin.start(8, 8)
    sizes = set()
    for _ in range(8):
        twin.run_window()
        sizes.add(twin.get_state().interactive_block_size)
    assert sizes == {100.0, 250.0, 400.0}
    assert twin.workload.interactive.clients in (50, 75, 100)


def test_the_same_seed_gives_the_same_load_and_a_new_start_begins_it_anew():
    load = workload(tied=False, parts=(RateVariation((0.3, 0.3)),))
    assert throughputs(load, 5).tolist() == throughputs(load, 5).tolist()
    assert throughputs(load, 5).tolist() != throughputs(load, 5, seed=1).tolist()
    twin = Middleware(load, window=WindowSpec(requests=2_000))
    runs = []
    for _ in range(2):
        twin.start(8, 8)
        runs.append([twin.run_window().throughput_ops for _ in range(3)])
    assert runs[0] == runs[1]


def test_changes_go_on_into_the_next_workload_with_the_same_parts():
    """A phase change does not begin a burst anew."""
    parts = (Burst(every=4, length=2, factor=2.0),)
    first, second = workload(parts=parts), workload(30_000.0, parts=parts)
    twin = Middleware(first, window=WindowSpec(requests=2_000))
    twin.start(8, 8)
    before = [twin.run_window().throughput_ops for _ in range(6)]
    twin.set_workload(second)
    after = twin.run_window().throughput_ops
    assert after / 1.5 == pytest.approx(before[2], rel=0.15)  # window 7 is at the place of window 3


def test_a_steady_workload_after_a_burst_has_its_own_rate():
    burst = workload(tied=False, parts=(Burst(every=1, length=1, factor=3.0),))
    twin = Middleware(burst, window=WindowSpec(requests=2_000))
    twin.start(8, 8)
    assert twin.run_window().throughput_ops == pytest.approx(120_000, rel=0.1)
    twin.set_workload(workload(tied=False))
    twin.run_window()
    assert twin.run_window().throughput_ops == pytest.approx(40_000, rel=0.1)


def test_what_is_no_part_is_refused():
    with pytest.raises(InputError, match="parts: 3"):
        workload(parts=(3,))
