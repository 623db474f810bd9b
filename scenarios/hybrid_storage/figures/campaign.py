"""Sizes of the experiments behind the figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Campaign:
    """Size of the campaign.

    Args:
        seeds: runs of each policy on each workload.
        length: requests of a run, the second half of which is measured.
        grid_length: requests of a run in a grid of many parameters.
    """

    name: str
    seeds: int
    length: int
    grid_length: int

    def to_dict(self) -> dict:
        """Plain values, for the record of a run and the key of its cache."""
        return asdict(self)


QUICK = Campaign("quick", seeds=1, length=40_000, grid_length=10_000)
FULL = Campaign("full", seeds=10, length=100_000, grid_length=40_000)
