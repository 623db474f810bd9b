"""Sizes of the experiments behind the figures."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.figures.campaign import Campaign


@dataclass(frozen=True)
class NumaCampaign(Campaign):
    """Size of the campaign.

    Args:
        seeds: runs of each policy on the device as it is in the profile.
        samples: sampled systems, each with one run of each policy.
        far_samples: sampled systems of Table 1, whose programs are computed by mean values.
        regret_seeds: runs of each policy over time.
    """

    samples: int
    far_samples: int
    regret_seeds: int


QUICK = NumaCampaign("quick", seeds=5, samples=20, far_samples=20, regret_seeds=2)
FULL = NumaCampaign("full", seeds=10, samples=100, far_samples=400, regret_seeds=10)
