"""Replacement policies by name: `lru`, `min`, `ws:feedback=shadow,experts=lru+lfu`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.grammar import parsed
from pmtwin.policies.replacement import dispatch, lfu, s3_fifo
from pmtwin.policies.replacement.cache import Cache
from pmtwin.policies.replacement.directory import make_directory
from pmtwin.policies.replacement.lines import Order, make_order
from pmtwin.policies.replacement.weight_sharing import SharedCache, make_learner
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.options import Options, option

MOST_LINES = 1 << 28
MOST_EPOCH_MISSES = 1 << 20
WEIGHT_SHARING = "ws"


@dataclass(frozen=True)
class Replacement:
    """What the kernel has to know of a policy.

    Args:
        kind: its number in `pmtwin.policies.replacement.dispatch`.
        description: one line.
        clairvoyant: whether it is told when each page is wanted next.
        grouped: whether it needs room for groups of lines.
        ghosts: lines -> pages that it remembers.
        prepare: called with the order of an empty cache.
    """

    kind: int
    description: str
    clairvoyant: bool = False
    grouped: bool = False
    ghosts: Callable[[int], int] = lambda lines: 0
    prepare: Callable[[Order], None] = lambda order: None


POLICIES = {
    "lru": Replacement(dispatch.LRU, "least recently used"),
    "lfu": Replacement(dispatch.LFU, "least frequently used since it was cached", grouped=True, prepare=lfu.prepare),
    "random": Replacement(dispatch.RANDOM, "any line"),
    "min": Replacement(dispatch.MIN, "wanted again last (Belady): knows the future", clairvoyant=True, grouped=True),
    "sieve": Replacement(dispatch.SIEVE, "a hand from old to new spares what was used since it passed"),
    "s3-fifo": Replacement(
        dispatch.S3_FIFO, "a small queue of new pages, a main one, and ghosts",
        ghosts=s3_fifo.ghost_pages, prepare=s3_fifo.prepare,
    ),
    "arc": Replacement(dispatch.ARC, "recent and frequent pages, balanced by ghosts", ghosts=lambda lines: lines),
}  # fmt: skip


@dataclass(frozen=True)
class Plain(Options):
    """The options of a policy that has none."""


@dataclass(frozen=True)
class WeightSharing(Options):
    """Options of weight sharing; `pmtwin.policies.replacement.weight_sharing` says what they do."""

    experts: tuple[str, ...] = option(
        ("lru", "lfu"), "policies that name victims", choices=tuple(POLICIES), separator="+", metavar="NAME+NAME..."
    )
    feedback: str = option(
        "as-written",
        "errors: misses on what was named in the epoch, or every request for it",
        choices=("as-written", "shadow"),
    )
    choice: str = option("argmax", "the greatest weight, or drawn by the weights", choices=("argmax", "sampled"))
    beta: float = option(0.7, "factor of a weight for each error", low=0.0, high=1.0)
    share: float = option(0.01, "share of the weights that is spread evenly", low=0.0, high=1.0)
    threshold: float = option(0.25, "errors below this share of the misses are ignored", low=0.0, high=1e6)
    iterations: int = option(4, "polling iterations of an epoch", low=1, high=1000)
    misses: int = option(1, "misses of a polling iteration", low=1, high=1000)

    def __post_init__(self):
        super().__post_init__()
        if len(self.experts) < 2 or len(set(self.experts)) < len(self.experts):
            raise InputError("experts", "+".join(self.experts), "two policies or more, each once")

    @property
    def epoch_misses(self) -> int:
        """Misses of an epoch."""
        return self.iterations * self.misses


def replacement_names() -> list[str]:
    """Names of the replacement policies."""
    return [*POLICIES, WEIGHT_SHARING]


def read_spec(spec: str) -> tuple[tuple[str, ...], WeightSharing | None]:
    """(names of the experts, options of weight sharing if it chooses between them) of `NAME[:KEY=VALUE,...]`.

    Raises:
        InputError: for an unknown policy or option.
    """
    name, _, text = spec.partition(":")
    if name == WEIGHT_SHARING:
        options = parsed(name, WeightSharing, text)
        return options.experts, options
    if name not in POLICIES:
        raise unknown_name("policies", name, replacement_names())
    parsed(name, Plain, text)
    return (name,), None


def is_clairvoyant(spec: str) -> bool:
    """Whether the policy, or one of its experts, is told the future."""
    return any(POLICIES[name].clairvoyant for name in read_spec(spec)[0])


def make_cache(spec: str, lines: int, seed: int = 0) -> Cache | SharedCache:
    """An empty cache under a policy.

    Args:
        spec: `NAME[:KEY=VALUE,...]`.
        lines: of the cache.
        seed: of what is drawn.

    Raises:
        InputError: for an unknown policy or option, or a number of lines out of range.
    """
    names, options = read_spec(spec)
    check_range("lines", lines, 1, MOST_LINES)
    keys = [int(key) for key in np.random.SeedSequence(seed).generate_state(len(names) + 1, np.uint64)]
    orders = tuple(_order(POLICIES[name], int(lines), key) for name, key in zip(names, keys[1:], strict=True))
    directory, used = make_directory(int(lines)), np.zeros(1, np.int64)
    if options is None:
        return Cache(directory, orders[0], used)
    flags = {"shadow": options.feedback == "shadow", "sampled": options.choice == "sampled"}
    numbers = {"beta": options.beta, "share": options.share, "threshold": options.threshold}
    learner = make_learner(len(names), keys[0], options.epoch_misses, **flags, **numbers)
    return SharedCache(directory, orders, learner, used)


def _order(policy: Replacement, lines: int, key: int) -> Order:
    order = make_order(lines, key, policy.ghosts(lines), policy.grouped, policy.clairvoyant)
    order.state["kind"] = policy.kind
    policy.prepare(order)
    return order
