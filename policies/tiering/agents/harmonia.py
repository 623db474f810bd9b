"""Harmonia (Nadig and others, 2025): two agents, for placement and for migration; and one agent for both (SAPM)."""

from __future__ import annotations

from pmtwin.policies.registry import register
from pmtwin.policies.tiering.agents.agents import MigrationAgent, PlacementAgent, least_reward
from pmtwin.policies.tiering.agents.options import DelayedOptions
from pmtwin.policies.tiering.agents.parts import PARTS, Defaults, best_reward


@register("harmonia")
class HarmoniaPlacement(PlacementAgent):
    """Harmonia's placement agent: a categorical network whose reward is 1 / latency (section 4.2, equation 2)."""

    Takes = DelayedOptions


@register("harmonia")
class HarmoniaMigration(MigrationAgent):
    """Harmonia's migration agent: its reward is known n requests after x moves (section 4.2, equation 3)."""


@register("sapm")
class SapmPlacement(PlacementAgent):
    """A single agent for placement and migration (section 3.3): its decisions about writes."""

    Takes = DelayedOptions
    options: DelayedOptions
    shared = tuple(range(PARTS))

    def arrays(self, point, key):
        """Those of an agent, whose atoms serve both decisions."""
        best = best_reward(point)
        return self.agent(point, key, least_reward(self.options, best), best)


@register("sapm")
class SapmMigration(MigrationAgent):
    """A single agent for placement and migration: its decisions about pages, in idle time alone."""

    defaults = Defaults(0.9, 1e-3, 128)
    shared = tuple(range(PARTS))
    idle_only = True
