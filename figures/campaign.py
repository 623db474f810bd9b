"""Size of the steps of a run, of which there is a quick one and a full one."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Campaign:
    """What all campaigns have; a pipeline's own adds the sizes of its steps.

    Args:
        seeds: independent runs of each policy, or as the pipeline's own says.
    """

    name: str
    seeds: int

    def to_dict(self) -> dict:
        """Plain values, for the record of a run and the key of its cache."""
        return asdict(self)
