"""Properties of this machine (processors, memory, media), the native programs, and compiling in advance."""

from pmtwin.machine.machine import cpu, host_context, memory, persistent_memory, versions
from pmtwin.sim.common.threads import usable_processors

__all__ = ["cpu", "host_context", "memory", "persistent_memory", "usable_processors", "versions"]
