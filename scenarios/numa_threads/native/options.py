"""Options of the real side: whose threads, on which nodes."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import Options, option

NATIVE = "native"
"""The engine that is no twin: threads of a real process."""

STORES = {"map": False, "pmemkv": True}
"""Stores whose threads are placed -> whether they lie in a file."""

NODES = "processors of each node, one list for each, such as 0-3 4-7; none: the nodes of the machine itself"


@dataclass(frozen=True, kw_only=True)
class NativeOptions(Options):
    """Whose threads are placed.

    Raises:
        InputError, ConflictError: for options that do not go together.
    """

    title = "threads of a real process (engine native)"

    node_cpus: tuple[str, ...] = option((), NODES, metavar="LIST", separator=" ")
    store: str = option("map", "store whose threads are placed", choices=tuple(STORES), metavar="NAME")
    path: str | None = option(
        None, "folder for the file of store pmemkv, removed at the end: persistent memory (DAX) or /dev/shm",
        metavar="DIR",
    )  # fmt: skip
    pid: int | None = option(
        None, "process whose threads are placed instead; it must be of the same user",
        low=1, high=2**31 - 1, metavar="PID",
    )  # fmt: skip
    observe: bool = option(False, "print where threads would go, and move none")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pid is not None and self.path is not None:
            raise ConflictError("path", self.path, "belongs to a store; remove it, or --pid")
        if STORES[self.store] and self.path is None:
            raise InputError("path", None, f"a folder for the file of store {self.store}")
        if not STORES[self.store] and self.path is not None:
            raise ConflictError("path", self.path, f"does not go with store {self.store}, which has no file; remove it")
