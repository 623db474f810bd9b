"""Load on the middleware: two classes of requests, each with its own clients, mix, sizes and pace.

Thesis section 3.1.2 (interactive and batch applications) and Appendix C (the four phases).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError, check_range, in_full
from pmtwin.sim.load.part import LoadPart

SIZE_BINS = 256
"""A size distribution is 256 equally likely sizes: one byte of a random number picks one."""

CLASSES = ("interactive", "batch")
"""Names of the classes; index 0 and 1 everywhere."""

GET = "get"
OPERATIONS = (GET, "put_update", "put_insert", "remove")
"""Operations of a request on its key: read its value, overwrite it, write to a new key, remove it."""

MAX_VALUE_BYTES = 1 << 26
"""The largest access that the device law covers."""

MAX_CLIENTS = 4096
"""Largest number of client threads of a class: engine `compiled` keeps them in arrays of this length."""


class Kind(NamedTuple):
    """A kind of request: its class and its operation.

    Fields:
        class_index: index in `CLASSES`.
        operation: one of `OPERATIONS`.
    """

    class_index: int
    operation: str


KINDS = tuple(
    Kind(c, operation)
    for operations in (OPERATIONS[:2], OPERATIONS[2:])
    for c in range(len(CLASSES))
    for operation in operations
)
"""All kinds in the order of their numbers: a model has the first four, and any of the others that it needs."""

GETS_AND_UPDATES = KINDS[:4]
"""The kinds that every model has: number 2 * class for gets, 2 * class + 1 for updates."""


def in_order(kinds: Iterable[Kind]) -> tuple[Kind, ...]:
    """The given kinds and `GETS_AND_UPDATES`, each once, in the order of `KINDS`."""
    needed = {*kinds, *GETS_AND_UPDATES}
    return tuple(kind for kind in KINDS if kind in needed)


@dataclass(frozen=True, eq=False)
class ClassWorkload:
    """The requests of one class.

    Args:
        clients: synchronous client threads, one request outstanding each; 0 switches the class off.
        write_ratio: share of requests that write (puts and removes), 0 to 1.
        read_sizes_bytes: value size of a get: one number, or `SIZE_BINS` equally likely sizes.
        write_sizes_bytes: value size of a put or a remove, in the same form.
        rate_ops: offered operations per second of the replayed trace; None: closed loop, clients send without pause.
        interarrival_cov: coefficient of variation of the gaps between offered requests (1 is Poisson).
        gets_per_read: key-value gets that one read request makes (a scan makes many).
        gets_per_write: gets before the put or remove of a write request (read-modify-write makes 1).
        insert_share, remove_share: shares of the writes that put a new key or remove a key, together at most 1; the
            other writes update existing keys.
    """

    clients: int
    write_ratio: float
    read_sizes_bytes: float | np.ndarray
    write_sizes_bytes: float | np.ndarray
    rate_ops: float | None = None
    interarrival_cov: float = 1.0
    gets_per_read: float = 1.0
    gets_per_write: float = 0.0
    insert_share: float = 0.0
    remove_share: float = 0.0

    def __post_init__(self):
        check_range("clients", self.clients, 0, MAX_CLIENTS)
        if int(self.clients) != self.clients:
            raise InputError("clients", self.clients, "a whole number of clients")
        check_range("write_ratio", self.write_ratio, 0.0, 1.0)
        if self.rate_ops is not None:
            check_range("rate_ops", self.rate_ops, 1.0, 1e9, "operations/s")
        check_range("interarrival_cov", self.interarrival_cov, 0.0, 10.0)
        check_range("gets_per_read", self.gets_per_read, 1.0, 10_000.0)
        check_range("gets_per_write", self.gets_per_write, 0.0, 100.0)
        check_range("insert_share", self.insert_share, 0.0, 1.0)
        check_range("remove_share", self.remove_share, 0.0, 1.0)
        if self.insert_share + self.remove_share > 1.0:
            allowed = (
                f"at most {1.0 - self.insert_share:g} beside insert_share {self.insert_share:g}: together at most 1"
            )
            raise InputError("remove_share", self.remove_share, allowed)
        for name in ("read_sizes_bytes", "write_sizes_bytes"):
            sizes = np.asarray(getattr(self, name), dtype=float)
            if sizes.shape not in ((), (SIZE_BINS,)):
                raise InputError(name, f"shape {sizes.shape}", f"one size or {SIZE_BINS} equally likely sizes")
            outside = ~((sizes >= 1) & (sizes <= MAX_VALUE_BYTES))
            if outside.any():
                raise InputError(name, float(sizes[outside][0]), f"1 to {in_full(MAX_VALUE_BYTES)} bytes")

    def _key(self) -> tuple:
        sizes = self.sizes(False).tobytes(), self.sizes(True).tobytes()
        return *sizes, *(getattr(self, f.name) for f in fields(self) if not f.name.endswith("_sizes_bytes"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassWorkload) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def sizes(self, is_write: bool) -> np.ndarray:
        """Shape (SIZE_BINS,): the equally likely value sizes in bytes."""
        sizes = self.write_sizes_bytes if is_write else self.read_sizes_bytes
        return np.broadcast_to(np.asarray(sizes, dtype=float), (SIZE_BINS,)).copy()

    def share(self, operation: str) -> float:
        """Share of an operation (of `OPERATIONS`) in the requests of the class, 0 to 1; 0 without clients."""
        write_shares = {"put_insert": self.insert_share, "remove": self.remove_share}
        write_shares["put_update"] = 1.0 - self.insert_share - self.remove_share
        if self.clients == 0:
            return 0.0
        return 1.0 - self.write_ratio if operation == GET else self.write_ratio * write_shares[operation]

    def mean_size_bytes(self) -> float:
        """Mean value size over reads and writes."""
        read, write = self.sizes(False).mean(), self.sizes(True).mean()
        return float((1.0 - self.write_ratio) * read + self.write_ratio * write)


@dataclass(frozen=True)
class Workload:
    """The load of both classes in one phase.

    Args:
        tied: both classes keep to the proportion of their rates, so that a slow class holds up the other
            (`pmtwin.scenarios.nvm_middleware.model.pools.WindowSpec`); otherwise each class follows its own trace.
        parts: how the load changes from window to window (`pmtwin.sim.load`).
    """

    name: str
    interactive: ClassWorkload
    batch: ClassWorkload
    notes: dict = field(default_factory=dict, compare=False)
    tied: bool = True
    parts: tuple[LoadPart, ...] = ()

    def __post_init__(self):
        for part in self.parts:
            if not isinstance(part, LoadPart):
                raise InputError("parts", part, "parts of pmtwin.sim.load")
        if self.interactive.clients + self.batch.clients == 0:
            raise InputError("clients", 0, "at least one client in one of the classes")

    @property
    def classes(self) -> tuple[ClassWorkload, ClassWorkload]:
        """(interactive, batch), in the order of `CLASSES`."""
        return self.interactive, self.batch

    @property
    def used_kinds(self) -> tuple[Kind, ...]:
        """The kinds that occur, in the order of `KINDS`."""
        return tuple(kind for kind in KINDS if self.classes[kind.class_index].share(kind.operation) > 0.0)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of a model of this workload: the kinds that occur, and `GETS_AND_UPDATES`."""
        return in_order(self.used_kinds)
