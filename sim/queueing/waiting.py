"""Queues in equilibrium: M/M/k exactly, M/G/1 exactly, M/G/k and G/G/k approximately. Rates per second.

Sources: Erlang (1917) for M/M/k; Pollaczek and Khinchine for M/G/1; Lee and Longton (1959), Allen and Cunneen for the
factor (c_a^2 + c_s^2) / 2 of the others; Marshall (1968) for departures.
"""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.sim.errors import InputError


class Waiting(NamedTuple):
    """A queue in equilibrium.

    Fields:
        utilisation: mean share of the servers that serve.
        waiting: mean number of waiting requests, without those in service (L of the two-tier paper).
        wait_s: mean wait of all requests, in seconds (W of the paper).
        waits: probability that a request waits.
    """

    utilisation: float
    waiting: float
    wait_s: float
    waits: float


def check_stable(name: str, rate: float, capacity: float) -> None:
    """Refuse a queue whose length grows without bound.

    Args:
        name: of the queue, for the error. rate, capacity: arrivals and largest throughput, per second.

    Raises:
        InputError: the rate is not below the capacity.
    """
    if not rate < capacity:
        allowed = f"less than the {capacity:g} requests/s that it serves; it is overloaded by a factor of "
        allowed += f"{rate / capacity:.4g} and has no equilibrium (engines compiled and simpy simulate overload)"
        raise InputError(f"rate of the {name}", rate, allowed)


def waiting_probability(servers: int, offered: float) -> float:
    """Probability that a request waits in M/M/k: Erlang's C, by the recursion of his B.

    Args:
        offered: offered load, rate times mean service time; below `servers`.
    """
    blocked = 1.0
    for busy in range(1, servers + 1):
        blocked = offered * blocked / (busy + offered * blocked)
    return servers * blocked / (servers - offered * (1.0 - blocked))


def queue(
    name: str, rate: float, servers: int, mean_s: float, service_scv: float = 1.0, arrival_scv: float = 1.0
) -> Waiting:
    """Servers behind one queue, in equilibrium.

    Args:
        name: of the queue, for errors.
        rate: arrivals per second.
        mean_s: mean service time, in seconds.
        service_scv, arrival_scv: squared coefficients of variation of service times and of gaps between arrivals; 1 and
            1 is M/M/k.

    Raises:
        InputError: the queue has no equilibrium.
    """
    check_stable(name, rate, servers / mean_s)
    offered = rate * mean_s
    waits = waiting_probability(servers, offered)
    waiting = 0.5 * (arrival_scv + service_scv) * waits * offered / (servers - offered)
    return Waiting(offered / servers, waiting, waiting / rate if rate > 0.0 else 0.0, waits)


def departure_scv(utilisation: float, service_scv: float, arrival_scv: float = 1.0) -> float:
    """Squared coefficient of variation of the gaps between departures of a single server."""
    return utilisation**2 * service_scv + (1.0 - utilisation**2) * arrival_scv
