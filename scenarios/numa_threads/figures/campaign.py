"""Sizes of the experiments behind the figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Campaign:
    """Size of the campaign.

    Args:
        seeds: runs of each policy on the device as it is in the profile.
        samples: sampled systems, each with one run of each policy.
        far_samples: sampled systems of Table 1, whose programs are computed by mean values.
        regret_seeds: runs of each policy over time.
    """

    name: str
    seeds: int
    samples: int
    far_samples: int
    regret_seeds: int

    def to_dict(self) -> dict:
        """Plain values, for the record of a run and the key of its cache."""
        return asdict(self)


QUICK = Campaign("quick", seeds=5, samples=20, far_samples=20, regret_seeds=2)
FULL = Campaign("full", seeds=10, samples=100, far_samples=400, regret_seeds=10)
