"""Placements as settings: how many threads run near the data, on how many logical cores near and far."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice

from pmtwin.sim.control import Settings
from pmtwin.sim.numa.machine import Machine


def contradiction(setting: tuple[int, ...]) -> str:
    """What is allowed where threads near the data have no cores there, or these cores no threads; else ""."""
    threads, near, far = setting
    without = f"0,0,{far} is all threads far from them" if far else "0,0,0 leaves all threads to the kernel"
    if threads > 0 and near == 0:
        return f"near_cores above 0 for {threads} threads near the data; {without}"
    if threads == 0 and near > 0:
        return f"threads_near above 0 for {near} logical cores near the data; {without}"
    return ""


NUMBERS = {
    "threads_near": (0, 6, 12, 18, 24, 30, 36, 42, 48, 60, 72),
    "near_cores": (0, 1, 2, 4, 6, 8, 12, 18, 24, 36),
    "far_cores": (0, 4, 12, 36),
}


def repeats(setting: tuple[int, ...]) -> bool:
    """Whether the number of threads near does not matter, without cores far, and another number says the same."""
    threads, near, far = setting
    return near > 0 and far == 0 and threads < NUMBERS["threads_near"][-1]


SETTINGS = replace(Settings.of("placement", NUMBERS), contradiction=contradiction, repeats=repeats)
"""A side without cores takes no threads; without any, the kernel places all of them."""

KERNEL = (0, 0, 0)
"""Nothing is placed."""


def side_cores(machine: Machine, data_node: int, setting: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The logical cores near and far that a setting uses, one of each physical core before its siblings."""
    _, near, far = setting
    others = [machine.cores_of(node) for node in range(machine.thread_nodes) if node != data_node]
    in_turn = [core for cores in zip(*others, strict=True) for core in cores]  # node after node
    return list(machine.cores_of(data_node))[:near], in_turn[:far]


def cores_of_threads(machine: Machine, data_node: int, setting: tuple[int, ...], threads: int) -> list[int] | None:
    """The logical core of each thread under a setting; None: the kernel places them."""
    near, far = side_cores(machine, data_node, setting)
    if not near and not far:
        return None
    count = min(setting[0], threads) if near and far else threads * bool(near)
    return [*islice(cycle(near), count), *islice(cycle(far), threads - count)]
