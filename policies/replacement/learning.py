"""The policies that learn between others, by name: their options, and their empty caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement.directory import make_directory
from pmtwin.policies.replacement.hedge import HedgedCache, make_hedged
from pmtwin.policies.replacement.plain import POLICIES, plain_cache, plain_order
from pmtwin.policies.replacement.weight_sharing import SharedCache, make_learner
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


def _check_experts(experts: tuple[str, ...]) -> None:
    if len(experts) < 2 or len(set(experts)) < len(experts):
        raise InputError("experts", "+".join(experts), "two policies or more, each once")


@dataclass(frozen=True)
class WeightSharing(Options):
    """Options of weight sharing (`pmtwin.policies.replacement.weight_sharing`)."""

    experts: tuple[str, ...] = option(
        ("lru", "lfu"), "policies that name victims", choices=tuple(POLICIES), separator="+", metavar="NAME+NAME..."
    )
    feedback: str = option(
        "as-written",
        "errors of an expert: misses on its victims of the epoch, or every request for them",
        choices=("as-written", "shadow"),
    )
    choice: str = option(
        "argmax", "choice of the expert: the greatest weight, or a draw by the weights", choices=("argmax", "sampled")
    )
    beta: float = option(0.7, "factor on a weight per error", low=0.0, high=1.0)
    share: float = option(0.01, "share of the weights that is spread evenly", low=0.0, high=1.0)
    threshold: float = option(0.25, "ignored errors, as a share of the misses", low=0.0, high=1e6)
    iterations: int = option(4, "length of an epoch, in polling iterations", low=1, high=1000)
    misses: int = option(1, "length of a polling iteration, in misses", low=1, high=1000)

    def __post_init__(self):
        super().__post_init__()
        _check_experts(self.experts)


@dataclass(frozen=True)
class Hedge(Options):
    """Options of the hedge (`pmtwin.policies.replacement.hedge`)."""

    experts: tuple[str, ...] = option(
        ("lru", "lfu", "sieve"), "policies to follow", choices=tuple(POLICIES), separator="+", metavar="NAME+NAME..."
    )
    rate: float = option(
        16.0, "learning rate: exp(-rate) is the factor for misses more by a whole window", low=0.0, high=1e6
    )
    share: float = option(0.01, "share of the weights that is spread evenly", low=0.0, high=1.0)
    window: float = option(1.0, "length of a window, in misses per line", low=1e-3, high=1e6)

    def __post_init__(self):
        super().__post_init__()
        _check_experts(self.experts)


def shared_cache(options: WeightSharing, lines: int, keys: list[int]) -> SharedCache:
    """An empty cache under weight sharing; a key for the learner and for each expert."""
    orders = tuple(plain_order(name, lines, key) for name, key in zip(options.experts, keys[1:], strict=True))
    learner = make_learner(
        len(orders), keys[0], options.iterations * options.misses, beta=options.beta, share=options.share,
        threshold=options.threshold, shadow=options.feedback == "shadow", sampled=options.choice == "sampled",
    )  # fmt: skip
    return SharedCache(make_directory(lines), orders, learner, np.zeros(1, np.int64))


def hedged_cache(options: Hedge, lines: int, keys: list[int]) -> HedgedCache:
    """An empty cache under the hedge; a key for it and for each expert."""
    caches = tuple(plain_cache(name, lines, key) for name, key in zip(options.experts, keys[1:], strict=True))
    return make_hedged(caches, keys[0], options.window, options.rate, options.share)


class Learning(NamedTuple):
    """A policy that learns: its description, its options, and the factory of its cache."""

    description: str
    options: type[Options]
    make: Callable


LEARNERS = {
    "ws": Learning("weight sharing: learns which of its experts names the victim", WeightSharing, shared_cache),
    "hedge": Learning("follows the expert with the fewest misses in its virtual cache", Hedge, hedged_cache),
}
