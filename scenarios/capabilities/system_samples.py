"""Capability: samples of hosts and devices, which the options count."""

from __future__ import annotations

from abc import abstractmethod

from pmtwin.scenarios.capabilities.samples import WithSamples
from pmtwin.sim.host.samples import SystemSamples


class WithSystemSamples(WithSamples):
    """A scenario whose plausible systems are joint samples of host and device."""

    @property
    @abstractmethod
    def samples(self) -> SystemSamples:
        """How many, and which ones."""

    @property
    def devices(self) -> int:
        return self.samples.systems

    @property
    def sampled_by(self) -> tuple[str, ...]:
        return self.samples.sampled_by

    @property
    def sampled(self) -> str:
        return self.samples.sampled

    @property
    def drawn_by(self) -> tuple[str, ...]:
        return self.samples.drawn_by
