"""The shipped replacement policies that do not learn; they are branches of one kernel (`dispatch.py`)."""

from __future__ import annotations

from pmtwin.policies.inline import Replacement
from pmtwin.policies.registry import register


class Shipped(Replacement):
    """Base class of policies that are branches of the shared kernel (`dispatch.BRANCHES`), by name."""

    draws = False

    @classmethod
    def is_compiled(cls):
        """True for all of them."""
        return True

    def order(self, lines: int, key: int):
        """State of the policy for an empty cache."""
        from pmtwin.policies.replacement.branches import branch_order

        return branch_order(self.name, lines, key)


@register("lru")
class Lru(Shipped):
    """Evicts the least recently used page."""


@register("lfu")
class Lfu(Shipped):
    """Evicts the page with the fewest uses since it was cached."""


@register("random")
class AnyLine(Shipped):
    """Evicts any page, all equally likely."""

    draws = True


@register("min")
class Min(Shipped):
    """Evicts the page whose next request is furthest away (Belady); knows the future."""

    clairvoyant = True


@register("sieve")
class Sieve(Shipped):
    """Evicts the first page, from old to new, that was not used since a hand last passed."""


@register("s3-fifo")
class S3Fifo(Shipped):
    """Evicts by three queues: a small one for new pages, a main one, and ghosts."""


@register("arc")
class Arc(Shipped):
    """Evicts recent or frequent pages, balanced by ghosts."""


SHIPPED = {cls.name: cls for cls in (Lru, Lfu, AnyLine, Min, Sieve, S3Fifo, Arc)}
"""Name -> class of the policy."""
