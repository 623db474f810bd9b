"""Nodes of processors: those of the machine, or lists that stand for nodes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pmtwin.sim.common.cpu_list import parse_cpus
from pmtwin.sim.errors import InputError
from pmtwin.sim.numa.machine import MOST_NODES

NODES, CPUS = Path("sys/devices/system/node"), Path("sys/devices/system/cpu")
ELSEWHERE = -1
"""Instead of a logical core: a processor of no node."""


class Topology(NamedTuple):
    """Nodes that are alike.

    Fields:
        nodes: processors of each, as the kernel numbers them; one of each physical core comes before its siblings.
        threads_per_core: of a physical core, among them.
        emulated: whether lists stand for nodes, whose memory is everywhere equally near.
        numbers: of the nodes, as the kernel numbers them; none where they are emulated.
    """

    nodes: tuple[tuple[int, ...], ...]
    threads_per_core: int
    emulated: bool
    numbers: tuple[int, ...] = ()

    @property
    def cpus(self) -> list[int]:
        """The processor of each logical core of the model."""
        return [cpu for node in self.nodes for cpu in node]

    @property
    def machine(self) -> dict[str, int]:
        """Nodes and cores as options of the model's machine."""
        cores = len(self.nodes[0]) // self.threads_per_core
        return {"nodes": len(self.nodes), "cores": cores, "threads_per_core": self.threads_per_core}


def topology(lists: Sequence[str], field: str, root: Path = Path("/"), usable: set[int] | None = None) -> Topology:
    """The nodes that lists of processors stand for, or without lists those of the machine.

    Args:
        field: name of the lists in errors. root: where the kernel's files are.
        usable: processors that this process may use; None: as the kernel says.

    Raises:
        InputError: for lists that are no nodes, or a machine that has only one.
    """
    usable = os.sched_getaffinity(0) if usable is None else usable
    return _stated(lists, field, usable) if lists else _own(field, root, usable)


def _stated(lists: Sequence[str], field: str, usable: set[int]) -> Topology:
    nodes = tuple(parse_cpus(field, text) for text in lists)
    text = " ".join(lists)
    if not 2 <= len(nodes) <= MOST_NODES:
        raise InputError(field, text, f"2 to {MOST_NODES} lists of processors, one for each node")
    cpus = [cpu for node in nodes for cpu in node]
    twice = next((cpu for cpu in cpus if cpus.count(cpu) > 1), None)
    if twice is not None:
        raise InputError(field, text, "each processor in one node, once", wrong=f"has processor {twice} twice")
    absent = next((cpu for cpu in cpus if cpu not in usable), None)
    if absent is not None:
        allowed = f"those that this process may use: {', '.join(map(str, sorted(usable)))}"
        raise InputError(field, text, allowed, wrong=f"has processor {absent}, which is not there")
    if len({len(node) for node in nodes}) > 1:
        raise InputError(field, text, "as many processors in each node")
    return Topology(nodes, 1, emulated=True)


def _own(field: str, root: Path, usable: set[int]) -> Topology:
    """The machine's nodes, each with as many processors as the one with the fewest."""
    folders = {int(path.name.removeprefix("node")): path for path in (root / NODES).glob("node[0-9]*")}
    usable_of = {number: _in_turn(folders[number], root, usable) for number in sorted(folders)}
    nodes = {number: cpus for number, cpus in usable_of.items() if cpus}
    if not 2 <= len(nodes) <= MOST_NODES:
        example = " ".join(map(str, sorted(usable)[:2]))
        lists = f"two or more lists of processors that stand for nodes, such as {example}"
        count = f"{len(nodes)} nodes" if len(nodes) > 1 else "one node"
        raise InputError(field, None, f"{lists}; this machine has {count} with processors for this process")
    fewest = min(len(cpus) for cpus in nodes.values())
    kept = {number: cpus[:fewest] for number, cpus in nodes.items()}
    two = fewest % 2 == 0 and all(_in_pairs(cpus, root) for cpus in kept.values())
    return Topology(tuple(kept.values()), 2 if two else 1, False, tuple(kept))


def _in_pairs(cpus: tuple[int, ...], root: Path) -> bool:
    """Whether the second half of these processors are the siblings of the first half."""
    ranks = [_sibling_rank(cpu, set(cpus), root) for cpu in cpus]
    return ranks == sorted(ranks) and sum(ranks) == len(cpus) // 2 and max(ranks) == 1


def _in_turn(node: Path, root: Path, usable: set[int]) -> tuple[int, ...]:
    """The usable processors of a node, one of each physical core before its siblings."""
    listed = _cpu_list(node / "cpulist")
    cpus = [cpu for cpu in listed if cpu in usable]
    return tuple(sorted(cpus, key=lambda cpu: (_sibling_rank(cpu, set(cpus), root), cpu)))


def _sibling_rank(cpu: int, among: set[int], root: Path) -> int:
    """How many siblings with a smaller number a processor has."""
    siblings = _cpu_list(root / CPUS / f"cpu{cpu}/topology/thread_siblings_list")
    return sum(other < cpu and other in among for other in siblings)


def _cpu_list(path: Path) -> tuple[int, ...]:
    try:
        text = path.read_text().strip()
    except OSError:
        return ()
    return parse_cpus(str(path), text) if text else ()
