"""A NUMA machine with persistent memory on each node: threads on run queues of logical cores, moved by the kernel."""
