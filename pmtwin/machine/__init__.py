"""This machine: processors, memory and media, the native programs, compiled code."""

from pmtwin.machine.machine import cpu, host_context, memory, persistent_memory, usable_processors, versions

__all__ = ["cpu", "host_context", "memory", "persistent_memory", "usable_processors", "versions"]
