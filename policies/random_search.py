"""Random search: settings drawn uniformly are tried, and the best one stays."""

from __future__ import annotations

from pmtwin.policies.base import Setting
from pmtwin.policies.registry import register
from pmtwin.policies.trials import Tuner


@register("random-search")
class RandomSearch(Tuner):
    """Tries settings that are drawn uniformly; after the last trial the best one stays. Untrained."""

    def following(self) -> Setting:
        """A setting drawn uniformly."""
        return self.drawn()
