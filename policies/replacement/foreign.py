"""LeCaR and Cacheus of libCacheSim, for comparison: an adapter to the optional package `libcachesim`.

That package is under GPL-3; it is imported only when such a cache is made. Its policies draw random numbers without a
seed, so that misses vary from run to run. Its Belady is left out: without the next use in each request it has more
misses than LRU, and does not report it. Use `min` instead.
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
"""Bounds of the base-2 logarithm of the number of buckets in the table of pages."""


@dataclass(frozen=True)
class ForeignOptions(Options):
    """Options of `libcachesim`."""

    policy: str = option(help="the policy", choices=tuple(CLASSES), metavar="NAME")


@register(PACKAGE)
class Foreign(Replacement):
    """Runs a policy of libCacheSim, for comparison; its random numbers have no seed.

    Raises:
        MissingDependencyError: if the package is not installed.
    """

    Takes = ForeignOptions
    options: ForeignOptions
    replays_alone = True

    def __init__(self, options: ForeignOptions):
        check_installed()
        super().__init__(options)

    def learns_in_a_run(self):
        """True: both policies learn."""
        return True

    def freeze(self):
        """Refuse: the package cannot stop learning.

        Raises:
            InputError: always.
        """
        raise InputError("learning", "frozen", f"on: {self.spec} is a policy of a package that cannot stop learning")

    def cache(self, lines: int, seed: int = 0):
        """An empty cache of the package; `seed` has no effect."""
        check_range("lines", lines, 1, MOST_LINES)
        return ForeignCache(self.options, int(lines))


class ForeignCache:
    """A cache of the package.

    Args:
        options: options that name the policy.
        lines: number of lines.
    """

    def __init__(self, options: ForeignOptions, lines: int):
        import libcachesim

        power = min(max(lines.bit_length() + 1, LEAST_HASH_POWER), MOST_HASH_POWER)
        self._cache = getattr(libcachesim, CLASSES[options.policy])(lines, hashpower=power)
        self._request = libcachesim.Request(obj_size=1)

    def replay(self, pages: np.ndarray) -> int:
        """Number of misses of requests for pages, shape (n,); the cache keeps its pages for the next call."""
        get, request, hits = self._cache.get, self._request, 0
        for page in pages.tolist():
            request.obj_id = page
            hits += get(request)
        return len(pages) - hits


def check_installed() -> None:
    """Raise `MissingDependencyError` if the package is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingDependencyError(f"policy {PACKAGE}: not installed; pip install 'pmtwin[{PACKAGE}]' (GPL-3)")
