"""Capability: plausible systems to sample from, so that results have the uncertainty of the system in them."""

from __future__ import annotations

from typing import Self


class WithSamples:
    """A scenario of several plausible systems."""

    @property
    def devices(self) -> int:
        """Plausible systems of which each run or episode meets one (domain randomisation); 0: there is one system."""
        return 0

    @property
    def sampled_by(self) -> tuple[str, ...]:
        """Options with their numbers, the greatest first, for errors and advice."""
        return ("device_samples",)

    @property
    def sampled(self) -> str:
        """Noun, in the plural, of what differs from sample to sample."""
        return "devices"

    @property
    def drawn_by(self) -> tuple[str, ...]:
        """Names of the options, seeds mostly, that say which systems are drawn, where any are."""
        return ()

    @property
    def known_device(self) -> str:
        """Why all samples have the same device: a clause; empty where devices differ, where there are no samples and
        devices can be drawn, or where results rest on no device."""
        return ""

    def sampled_systems(self, count: int) -> Self:
        """The scenario over `count` plausible systems, if any are known; otherwise itself."""
        return self
