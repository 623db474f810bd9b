"""Capability: samples of plausible systems, so that results include the uncertainty about the system."""

from __future__ import annotations

from typing import Self


class WithSamples:
    """A scenario with several plausible systems."""

    @property
    def devices(self) -> int:
        """Number of plausible systems; each run or episode uses one (domain randomisation). 0: there is one system."""
        return 0

    @property
    def sampled_by(self) -> tuple[str, ...]:
        """Names of the options with the numbers of samples, the largest number first, for errors and advice."""
        return ("device_samples",)

    @property
    def sampled(self) -> str:
        """Plural noun for what differs between samples."""
        return "devices"

    @property
    def drawn_by(self) -> tuple[str, ...]:
        """Names of the options, mostly seeds, that determine which systems are drawn; empty if none are drawn."""
        return ()

    @property
    def known_device(self) -> str:
        """Why all samples have the same device, as a clause.

        Empty if devices differ, if they could be drawn but no samples are used, or if results depend on no device.
        """
        return ""

    def sampled_systems(self, count: int) -> Self:
        """The scenario with `count` plausible systems, if there are any; otherwise the scenario itself."""
        return self
