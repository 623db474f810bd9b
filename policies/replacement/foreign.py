"""LeCaR and Cacheus of libCacheSim, for comparison: an adapter to the package `libcachesim`, which is not required.

That package is under GPL-3; nothing here imports it before such a cache is requested. Its policies draw random numbers
without a seed, so that misses vary from run to run. Its Belady is left out: without the next access in each request it
gives more misses than LRU and does not say so; `min` is ours.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.inline import Replacement
from pmtwin.policies.registry import register
from pmtwin.policies.replacement.limits import MOST_LINES
from pmtwin.sim.errors import InputError, MissingDependencyError, check_range
from pmtwin.sim.options import Options, option

PACKAGE = "libcachesim"
CLASSES = {"lecar": "LeCaR", "cacheus": "Cacheus"}
LEAST_HASH_POWER, MOST_HASH_POWER = 10, 24
"""Bounds of the table of pages, which has 2 to this power buckets."""


@dataclass(frozen=True)
class ForeignOptions(Options):
    """Options of `libcachesim`."""

    policy: str = option(help="the policy", choices=tuple(CLASSES), metavar="NAME")


@register(PACKAGE)
class Foreign(Replacement):
    """A policy of libCacheSim, for comparison; random numbers without a seed.

    Raises:
        MissingDependencyError: if the package is not installed.
    """

    Takes = ForeignOptions
    replays_alone = True

    def __init__(self, options: ForeignOptions):
        check_installed()
        super().__init__(options)

    def learns_in_a_run(self):
        """Both policies do."""
        return True

    def freeze(self):
        """Refused.

        Raises:
            InputError: always.
        """
        raise InputError("learning", "frozen", f"on: {self.spec} learns in a package that always goes on")

    def cache(self, lines, seed=0):
        """An empty cache of the package."""
        check_range("lines", lines, 1, MOST_LINES)
        return ForeignCache(self.options, int(lines))


class ForeignCache:
    """A cache of the package.

    Args:
        options: which policy.
        lines: of the cache.
    """

    def __init__(self, options: ForeignOptions, lines: int):
        import libcachesim

        power = min(max(lines.bit_length() + 1, LEAST_HASH_POWER), MOST_HASH_POWER)
        self._cache = getattr(libcachesim, CLASSES[options.policy])(lines, hashpower=power)
        self._request = libcachesim.Request(obj_size=1)

    def replay(self, pages: np.ndarray) -> int:
        """Misses of requests for pages, shape (n,); the cache keeps its pages for the next call."""
        get, request, hits = self._cache.get, self._request, 0
        for page in pages.tolist():
            request.obj_id = page
            hits += get(request)
        return len(pages) - hits


def check_installed() -> None:
    """Refuse if the package is not installed.

    Raises:
        MissingDependencyError: then.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingDependencyError(f"policy {PACKAGE}: not installed; pip install 'pmtwin[{PACKAGE}]' (GPL-3)")
