"""The shipped replacement policies that do not learn, by name. They share one kernel, by branches (`dispatch.py`)."""

from __future__ import annotations

from typing import ClassVar

from pmtwin.policies.inline import Replacement
from pmtwin.policies.registry import register


class Shipped(Replacement):
    """A policy that is a branch of the shared kernel."""

    branch: ClassVar[str] = ""
    """Its name in `pmtwin.policies.replacement.dispatch`."""

    draws = False

    @classmethod
    def is_compiled(cls):
        """They all are."""
        return True

    def order(self, lines, key):
        """The state of its branch."""
        from pmtwin.policies.replacement.making import branch_order

        return branch_order(self.branch, lines, key)


@register("lru")
class Lru(Shipped):
    """Least recently used."""

    branch = "lru"


@register("lfu")
class Lfu(Shipped):
    """Least frequently used since it was cached."""

    branch = "lfu"


@register("random")
class AnyLine(Shipped):
    """Any line, all equally likely."""

    branch = "random"
    draws = True


@register("min")
class Min(Shipped):
    """Wanted again last (Belady): knows the future."""

    branch = "min"
    clairvoyant = True


@register("sieve")
class Sieve(Shipped):
    """A hand from old to new spares what was used since it passed."""

    branch = "sieve"


@register("s3-fifo")
class S3Fifo(Shipped):
    """A small queue of new pages, a main one, and ghosts."""

    branch = "s3-fifo"


@register("arc")
class Arc(Shipped):
    """Recent and frequent pages, balanced by ghosts."""

    branch = "arc"


SHIPPED = {cls.branch: cls for cls in (Lru, Lfu, AnyLine, Min, Sieve, S3Fifo, Arc)}
"""Name -> class."""
