"""Bytes of devices are those of requests, rests of pages, evictions, promotions and moves; and time is conserved.

The ledger of a policy tells what it has to be. The specification runs; `test_same_bits` ties the compiled engine to it.
"""

from functools import cache

import numpy as np
import pytest

from pmtwin.sim.hybrid.options import CLOSED, OPEN, PROMOTE, capacities
from pmtwin.sim.hybrid.stream import PAGE_BYTES
from tests.sim.hybrid.ledger import Ledger, stream_with_pauses
from tests.sim.hybrid.storages import random_options

SEEDS = range(40)
REQUESTS = 300


class Case:
    """A run in which all requests were answered, and the first one again: no access and no move is under way."""

    def __init__(self, seed):
        random = np.random.default_rng([seed, 39])
        self.options, self.threads = random_options(random, seed), int(random.choice([1, 1, 2, 5]))
        gap_ns = float(random.choice([0.0, 1e4, 1e6, 2e7]))
        self.pages = stream_with_pauses(random, REQUESTS, self.threads, gap_ns)
        self.on_path = seed % 3 == 0
        self.ledger = Ledger(self.options, self.pages, seed, every=30 if self.on_path else 0)
        self.ledger.run.advance(REQUESTS + 1)
        self.reading = self.ledger.run.reading()
        self.evicted = self.ledger.evictions(self.reading.used)
        self.latency_ns, self.rows = self.ledger.run.last()


case_of = cache(Case)


@pytest.fixture(params=SEEDS)
def case(request):
    return case_of(request.param)


def test_nothing_is_under_way_and_evictions_are_those_that_pages_tell(case):
    held = np.bincount(case.ledger.run.device_of(), minlength=len(case.evicted))
    assert np.array_equal(held, case.reading.used)
    assert (held <= capacities(case.options, len(case.pages.home))).all()
    assert (case.evicted >= 0).all() and case.evicted[-1] == 0
    assert case.evicted.sum() == case.reading.counts["evictions"]
    assert case.ledger.moves.sum() == case.reading.counts["moves"]


def stale_pages(case):
    """Shape (D,): pages that moves wrote to each device and that were somewhere else by then."""
    incoming = np.append(0, case.evicted[:-1]) + case.ledger.moves.sum(axis=0)
    excess = case.reading.written - case.ledger.written - incoming * PAGE_BYTES
    assert not (excess % PAGE_BYTES).any()
    return excess // PAGE_BYTES


def test_each_device_writes_what_requests_evictions_promotions_and_moves_write(case):
    stale = stale_pages(case)
    assert (stale >= 0).all()
    assert stale.sum() <= (0 if case.on_path else case.reading.counts["stale"])
    sizes, writes = case.pages.stream.size[case.rows], case.pages.stream.write[case.rows]
    assert case.reading.counts["asked_bytes"] == sizes[writes].sum()


def test_each_device_reads_what_requests_rests_evictions_and_moves_read(case):
    """A move reads its page, unless a request has read it; reads that no policy places are known in sum alone."""
    counts, moves = case.reading.counts, case.ledger.moves.sum(axis=1)
    known = case.ledger.read + PAGE_BYTES * (case.evicted + moves * case.on_path)
    excess, stale = case.reading.read - known, stale_pages(case).sum()
    if case.options.reads == PROMOTE:
        assert (excess >= 0).all() and (excess <= PAGE_BYTES * (moves + stale)).all()
    total = excess.sum() - case.ledger.undecided
    most = 0 if case.on_path else counts["moves"] + stale
    assert total % PAGE_BYTES == 0
    assert 0 <= total // PAGE_BYTES <= most


def test_time_is_that_of_requests_and_of_thinking():
    """Little's law of a closed loop: at any time a thread has a request or thinks."""
    cases = [case for case in map(case_of, SEEDS) if case.options.arrivals == CLOSED]
    assert {case.threads for case in cases} == {1, 2, 5}
    for case in cases:
        of_first = case.rows % case.threads == 0
        gaps_ns = case.pages.stream.gap_ns[case.rows[of_first]]
        assert case.latency_ns[of_first].sum() + gaps_ns.sum() == pytest.approx(case.reading.now_ns, rel=1e-12)


def test_devices_are_busy_while_requests_are_there(case):
    """Utilisation law: a single thread is at one device at a time; the transfers of requests fit into the time."""
    counts, busy = case.reading.counts, case.reading.busy_ns
    at_devices = case.latency_ns.sum() - counts["decisions"] * case.options.decision_ns
    if case.threads == 1 and case.options.arrivals != OPEN:
        assert busy.sum() == pytest.approx(at_devices, rel=1e-9, abs=1.0)
    assert busy.max() <= at_devices * (1.0 + 1e-9) + 1.0
    incoming = np.append(0, case.evicted[:-1]) + case.ledger.moves.sum(axis=0) * case.on_path
    outgoing = case.evicted + case.ledger.moves.sum(axis=1) * case.on_path
    for number, device in enumerate(case.options.block_devices):
        written = device.transfer_ns(True, case.ledger.written[number] + PAGE_BYTES * incoming[number])
        read = device.transfer_ns(False, case.ledger.read[number] + PAGE_BYTES * outgoing[number])
        assert written + read <= busy[number] * (1.0 + 1e-9) + 1.0


def test_the_random_runs_do_what_has_to_be_counted():
    """The laws would prove little without moves, evictions, promotions, stale pages and rests of pages."""
    cases = list(map(case_of, SEEDS))
    for name in ("moves", "promotions", "evictions", "promoted", "stale"):
        assert sum(each.reading.counts[name] > 0 for each in cases) >= 3, name
    assert sum(each.ledger.undecided > 0 for each in cases) >= 3
    assert any(stale_pages(each).sum() for each in cases)
