"""The shipped replacement policies that do not learn, by name. They share one kernel, by branches (`dispatch.py`)."""

from __future__ import annotations

from pmtwin.policies.inline import Replacement
from pmtwin.policies.registry import register


class Shipped(Replacement):
    """A policy whose name is that of a branch of the shared kernel (`pmtwin.policies.replacement.dispatch`)."""

    draws = False

    @classmethod
    def is_compiled(cls):
        """They all are."""
        return True

    def order(self, lines, key):
        """The state of its branch."""
        from pmtwin.policies.replacement.branches import branch_order

        return branch_order(self.name, lines, key)


@register("lru")
class Lru(Shipped):
    """Least recently used."""


@register("lfu")
class Lfu(Shipped):
    """Least frequently used since it was cached."""


@register("random")
class AnyLine(Shipped):
    """Any line, all equally likely."""

    draws = True


@register("min")
class Min(Shipped):
    """Wanted again last (Belady): knows the future."""

    clairvoyant = True


@register("sieve")
class Sieve(Shipped):
    """A hand from old to new spares what was used since it passed."""


@register("s3-fifo")
class S3Fifo(Shipped):
    """A small queue of new pages, a main one, and ghosts."""


@register("arc")
class Arc(Shipped):
    """Recent and frequent pages, balanced by ghosts."""


SHIPPED = {cls.name: cls for cls in (Lru, Lfu, AnyLine, Min, Sieve, S3Fifo, Arc)}
"""Name -> class."""
