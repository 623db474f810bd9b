"""Sibyl (Singh and others, ISCA 2022): an agent for placement; what does not fit is evicted on the path."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.registry import register
from pmtwin.policies.tiering.agents.agents import PlacementAgent
from pmtwin.policies.tiering.agents.options import CODE, SibylOptions
from pmtwin.policies.tiering.agents.parts import Defaults, best_reward
from pmtwin.policies.tiering.features import PAGE_BYTES

MS = 1e-6
ATOMS_OF_CODE = 20.0
"""Last atom of its code; the first one is its negative."""


@register("sibyl")
class Sibyl(PlacementAgent):
    """Learns which device a write goes to, as Harmonia's agent without the migration interval; evictions cost."""

    Takes = SibylOptions
    options: SibylOptions
    defaults = Defaults(0.9, 1e-4, 128)
    sees_moves = False

    def functions(self):
        """Event -> compiled function."""
        from pmtwin.policies.tiering.agents import placing

        return super().functions() | {"observe": placing.observe_with_evictions}

    def arrays(self, point, key):
        """Those of an agent; numbers of the reward (`placing`)."""
        by_code, (first, second) = self.options.reward == CODE, point.storage.devices[:2]
        eviction_ms = (first.alone_ns(False, PAGE_BYTES) + second.alone_ns(True, PAGE_BYTES)) * MS
        numbers = np.array([by_code, 1e6 * self.options.penalty, eviction_ms, first.alone_ns(True, PAGE_BYTES) * MS])
        if not by_code:
            return *self.agent(point, key, 0.0, best_reward(point)), numbers
        end = ATOMS_OF_CODE * (1.0 - (self.defaults.gamma if self.options.gamma is None else self.options.gamma))
        return *self.agent(point, key, -end, end), numbers
