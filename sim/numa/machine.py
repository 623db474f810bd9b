"""The machine: nodes of processors with their own persistent memory, and links between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

MOST_NODES = 8
NOBODY_BESIDE = -1
"""The sibling of a logical core that has its core alone."""


@dataclass(frozen=True, kw_only=True)
class Machine(Options):
    """Nodes with processors, which are alike, then those without. The defaults are those of the paper's Table 3.

    Logical cores are numbered node by node; within a node the first of each physical core come before the second ones.

    Raises:
        InputError: for a machine without processors.
    """

    title = "machine"

    nodes: int = option(2, "number of NUMA nodes, with and without processors", low=1, high=MOST_NODES, metavar="N")
    memory_nodes: int = option(
        0, "of these nodes, the last ones without processors, such as CXL memory: to them only data go",
        low=0, high=MOST_NODES - 1, metavar="N",
    )  # fmt: skip
    memory_node_gb: float = option(
        512.0, "memory of a node without processors, in GB", low=1e-3, high=1e9, metavar="GB"
    )
    cores: int = option(18, "physical cores of a node", low=1, high=64, metavar="N")
    threads_per_core: int = option(2, "logical cores of a physical core", low=1, high=2, metavar="N")
    modules: int = option(4, "modules of persistent memory of a node", low=1, high=16, metavar="N")
    module_gb: float = option(128.0, "size of a module, in GB", low=1e-3, high=1e6, metavar="GB")
    links: int = option(2, "links between each two nodes with processors", low=1, high=16, metavar="N")
    link_gb_s: float = option(20.8, "speed of a link each way, in GB/s", low=1e-3, high=1e6, metavar="S")
    l2_bytes: int = option(1 << 20, "second-level cache of a physical core, in bytes", low=0, high=1 << 40, metavar="B")

    def __post_init__(self):
        super().__post_init__()
        if self.memory_nodes >= self.nodes:
            allowed = f"0 to {self.nodes - 1}: one or more of the {self.nodes} nodes have processors"
            raise InputError("memory_nodes", self.memory_nodes, allowed)

    @property
    def thread_nodes(self) -> int:
        """Number of nodes with processors, the first ones."""
        return self.nodes - self.memory_nodes

    @property
    def node_cores(self) -> int:
        """Logical cores of a node with processors."""
        return self.cores * self.threads_per_core

    @property
    def processors(self) -> int:
        """Logical cores of all nodes."""
        return self.thread_nodes * self.node_cores

    @property
    def memory_bytes(self) -> float:
        """Persistent memory of a node with processors."""
        return 1e9 * self.modules * self.module_gb

    @property
    def room_bytes(self) -> np.ndarray:
        """Shape (N,): memory of each node that data go to."""
        return np.repeat([self.memory_bytes, 1e9 * self.memory_node_gb], [self.thread_nodes, self.memory_nodes])

    @property
    def node_of(self) -> np.ndarray:
        """Shape (C,): node of each logical core."""
        return np.arange(self.processors) // self.node_cores

    @property
    def sibling_of(self) -> np.ndarray:
        """Shape (C,): the other logical core of the same physical core, or `NOBODY_BESIDE`."""
        core = np.arange(self.processors)
        if self.threads_per_core == 1:
            return np.full(self.processors, NOBODY_BESIDE)
        first = core % self.node_cores < self.cores
        return np.where(first, core + self.cores, core - self.cores)

    def cores_of(self, node: int) -> range:
        """The logical cores of a node; none of one without processors."""
        size = self.node_cores * (node < self.thread_nodes)
        return range(node * size, (node + 1) * size)
