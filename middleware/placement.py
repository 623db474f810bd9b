"""Placement of the real middleware's workers."""

from __future__ import annotations

from typing import NamedTuple


class Placement(NamedTuple):
    """Processors of the workers of both pools, interactive and batch; by default wherever the kernel puts them.

    Fields:
        cpus: of each pool, processors one by one; empty: any.
        nodes: of each pool, a NUMA node instead: all processors of it that this process may use; None: any.
        one_cpu_each: worker i of a pool keeps to processor i modulo their number, not to any of them.
    """

    cpus: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    nodes: tuple[int | None, int | None] = (None, None)
    one_cpu_each: bool = False


ANYWHERE = Placement()
