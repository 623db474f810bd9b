"""Lines of waiting ones, k servers without events, and the heap of events, beside Python's own."""

import heapq
from collections import deque

import numpy as np

from pmtwin.sim.engines import start_network
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers
from pmtwin.sim.stations.event_heap import bring_forward, make_events, push, remove_first, replace_first
from pmtwin.sim.stations.lines import NOBODY, empty_lines, join_line, leave_line, remove_member
from pmtwin.sim.stations.servers import first_free


def test_lines_are_first_come_first_served():
    rng, lines, expected = np.random.default_rng(1), empty_lines(3, 40), [deque() for _ in range(3)]
    free = list(range(40))
    for _ in range(2000):
        line = int(rng.integers(3))
        if free and rng.random() < 0.52:
            member = free.pop(int(rng.integers(len(free))))
            join_line(lines, line, member)
            expected[line].append(member)
        else:
            member = leave_line(lines, line)
            assert member == (expected[line].popleft() if expected[line] else NOBODY)
            free += [member] if member != NOBODY else []


def test_a_member_leaves_from_anywhere_in_a_line():
    rng, lines, expected = np.random.default_rng(4), empty_lines(2, 12), [[], []]
    for _ in range(1000):
        line = int(rng.integers(2))
        absent = sorted(set(range(12)) - set(expected[0]) - set(expected[1]))
        if absent and rng.random() < 0.5:
            member = int(rng.choice(absent))
            join_line(lines, line, member)
            expected[line].append(member)
        elif expected[line]:
            member = int(rng.choice(expected[line]))
            remove_member(lines, line, member)
            expected[line].remove(member)
    for line, waiting in enumerate(expected):
        assert [leave_line(lines, line) for _ in range(len(waiting) + 1)] == [*waiting, NOBODY]


def test_events_come_in_the_order_of_time_then_number():
    rng, events, expected = np.random.default_rng(2), make_events(64), []
    for number in range(64):
        push(events, float(time := rng.integers(10)), number)
        heapq.heappush(expected, (time, number))
    for _ in range(2000):
        time, number = heapq.heappop(expected)
        assert (events.times[0], events.numbers[0]) == (time, number)
        if rng.random() < 0.98:
            later = time + rng.integers(10)
            replace_first(events, float(later), number)
            heapq.heappush(expected, (later, number))
            if rng.random() < 0.3:
                place = int(rng.integers(len(expected)))
                later, number = expected[place]
                expected[place] = (earlier := int(rng.integers(time, later + 1)), number)
                heapq.heapify(expected)
                bring_forward(events, float(earlier), number)
        else:
            remove_first(events)
        if not expected:
            break
    assert events.size[0] == len(expected)


def test_k_servers_without_events_make_requests_wait_as_long_as_the_station_does():
    """Requests that come every 100 ns, constant services: the order of the ends is that of the arrivals."""
    for servers, service in ((1, 130.0), (3, 350.0), (4, 250.0)):
        network = Network(
            stations=(
                Arrivals("arrivals", rate_ops=1e7, cov=0.0),
                Queue("queue"),
                Servers("servers", servers=servers, mean_ns=service, cov=0.0),
            )
        )
        latency, free = start_network(network).run_window(200).latency_ns, np.zeros(servers)
        for number in range(200):
            now = 100.0 * (number + 1)
            server = first_free(free, now)
            free[server] = max(now, free[server]) + service
            assert free[server] - now == latency[number]
