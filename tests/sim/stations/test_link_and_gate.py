"""Links between hosts, and gates before servers."""

import numpy as np
import pytest

from pmtwin.sim.stations.gate import SpecifiedGate
from pmtwin.sim.stations.link import SpecifiedLink, make_links, occupy, send


def test_messages_share_the_links_of_both_hosts_in_their_order():
    links = make_links(3, 125.0, 100.0)
    size = 125_000  # 1 ms
    assert send(links, 0, 2, size, 0.0) == pytest.approx(1e6 + 100.0)
    assert send(links, 0, 2, size, 0.0) == pytest.approx(2e6 + 100.0), "the same way out"
    assert send(links, 1, 2, size, 0.0) == pytest.approx(3e6 + 100.0), "another way out, the same way in"
    assert send(links, 2, 0, size, 0.0) == pytest.approx(1e6 + 100.0), "full duplex"
    assert links.bytes_in.sum() == links.bytes_out.sum() == 4 * size


def test_foreign_traffic_delays_what_comes_after():
    links = make_links(2, 125.0, 0.0)
    occupy(links.in_ns, 1, 5e6, 1e6)
    assert send(links, 0, 1, 125_000, 2e6) == pytest.approx(7e6)


def test_links_of_both_engines_give_the_same_bits():
    rng = np.random.default_rng(4)
    links = make_links(4, 117.3, 0.0)
    out, into = ([SpecifiedLink(117.3) for _ in range(4)] for _ in range(2))
    now = 0.0
    for _ in range(300):
        now += rng.exponential(1e4)
        source, target, size = int(rng.integers(4)), int(rng.integers(4)), int(rng.integers(1, 1 << 20))
        begin, _ = out[source].pass_through(size, now)
        assert into[target].pass_through(size, begin)[1] == send(links, source, target, size, now)
    assert [each.free_ns for each in out] == links.out_ns.tolist()


def test_a_gate_keeps_its_window_and_its_gap():
    gate = SpecifiedGate(window=2, gap_ns=10.0)
    assert gate.opens_at(5.0) == 5.0
    gate.send(5.0)
    assert gate.opens_at(7.0) == 15.0
    gate.send(15.0)
    assert gate.opens_at(40.0) == np.inf, "the window is full"
    gate.answer()
    assert gate.opens_at(40.0) == 40.0
