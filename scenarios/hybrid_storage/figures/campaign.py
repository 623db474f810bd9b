"""Sizes of the experiments behind the figures."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.figures.campaign import Campaign


@dataclass(frozen=True)
class HybridCampaign(Campaign):
    """Size of the campaign.

    Args:
        seeds: runs of each policy on each workload.
        length: requests of a run, the second half of which is measured.
        grid_length: requests of a run in a grid of many parameters.
    """

    length: int
    grid_length: int


QUICK = HybridCampaign("quick", seeds=1, length=40_000, grid_length=10_000)
FULL = HybridCampaign("full", seeds=10, length=100_000, grid_length=40_000)
