"""A NUMA machine with persistent memory on each node: threads on run queues of logical cores, moved by the kernel."""

from pmtwin.sim.numa.costs import store_costs
from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import ENGINES, Run, start_run
from pmtwin.sim.numa.speed_rows import Costs
from pmtwin.sim.numa.window import Window

__all__ = ["ENGINES", "Costs", "Kernel", "Load", "Machine", "Run", "Threads", "Window", "start_run", "store_costs"]
