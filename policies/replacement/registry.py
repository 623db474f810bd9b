"""Replacement policies by name: `lru`, `min`, `ws:feedback=shadow,experts=lru+lfu`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.grammar import parsed
from pmtwin.policies.replacement.cache import Cache
from pmtwin.policies.replacement.foreign import PACKAGE, Foreign, ForeignCache, check_installed
from pmtwin.policies.replacement.hedge import HedgedCache
from pmtwin.policies.replacement.learning import LEARNERS
from pmtwin.policies.replacement.plain import POLICIES, plain_cache
from pmtwin.policies.replacement.weight_sharing import SharedCache
from pmtwin.sim.errors import check_range, unknown_name
from pmtwin.sim.options import Options

MOST_LINES = 1 << 28


@dataclass(frozen=True)
class Plain(Options):
    """The options of a policy that has none."""


def replacement_names() -> list[str]:
    """Names of the replacement policies that need nothing else."""
    return [*POLICIES, *LEARNERS]


def read_spec(spec: str) -> tuple[str, Options]:
    """(name, options) of `NAME[:KEY=VALUE,...]`.

    Raises:
        InputError: for an unknown policy or option.
        MissingDependencyError: for `libcachesim`, if that is not installed.
    """
    name, _, text = spec.partition(":")
    if name == PACKAGE:
        options = parsed(name, Foreign, text)
        check_installed()
        return name, options
    if name not in replacement_names():
        raise unknown_name("policies", name, replacement_names())
    return name, parsed(name, LEARNERS[name].options if name in LEARNERS else Plain, text)


def is_clairvoyant(spec: str) -> bool:
    """Whether the policy, or one of its experts, knows the future."""
    name, options = read_spec(spec)
    return any(POLICIES[each].clairvoyant for each in getattr(options, "experts", (name,)) if each in POLICIES)


def make_cache(spec: str, lines: int, seed: int = 0) -> Cache | SharedCache | HedgedCache | ForeignCache:
    """An empty cache under a policy.

    Args:
        spec: `NAME[:KEY=VALUE,...]`.
        lines: of the cache.
        seed: seed of the draws.

    Raises:
        InputError: for an unknown policy or option, or a number of lines out of range.
        MissingDependencyError: for `libcachesim`, if that is not installed.
    """
    name, options = read_spec(spec)
    check_range("lines", lines, 1, MOST_LINES)
    if name == PACKAGE:
        return ForeignCache(options, int(lines))
    experts = getattr(options, "experts", (name,))
    keys = [int(key) for key in np.random.SeedSequence(seed).generate_state(len(experts) + 1, np.uint64)]
    if name in LEARNERS:
        return LEARNERS[name].make(options, int(lines), keys)
    return plain_cache(name, int(lines), keys[1])
