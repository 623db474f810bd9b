"""Options of an uncertain system: how many plausible hosts and devices, and which ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.sampling import MAX_SPREAD, without_uncertainty
from pmtwin.sim.host.file import MOST_HOSTS
from pmtwin.sim.options import Options, option

HOSTS, DEVICES = "uncertain host", "uncertain device"
"""Headings of the options."""

SAMPLED = {"host_samples": ("host_seed",), "device_samples": ("device_seed", "device_spread")}
"""Number of samples -> its seed, and what else they need."""

MOST_DEVICES = 1_000
"""Sampled devices of one system."""


@dataclass(frozen=True, kw_only=True)
class SystemSamples(Options):
    """Joint samples of host and device, one of them for each run; both are taken in turn."""

    host_samples: int = option(
        0,
        "number of sampled hosts; 0: the representative host",
        low=0,
        high=MOST_HOSTS,
        metavar="N",
        group=HOSTS,
    )
    host_seed: int = option(0, "host-sampling seed", low=0, high=2**63 - 1, metavar="S", group=HOSTS)
    device_samples: int = option(
        0,
        "number of sampled devices; 0: the profile itself",
        low=0,
        high=MOST_DEVICES,
        metavar="N",
        group=DEVICES,
    )
    device_seed: int = option(0, "device-sampling seed", low=0, high=2**63 - 1, metavar="S", group=DEVICES)
    device_spread: float = option(
        1.0,
        "scale factor of the difference between sampled devices and the profile",
        low=0.0,
        high=MAX_SPREAD,
        metavar="F",
        group=DEVICES,
    )

    @property
    def systems(self) -> int:
        """Number of joint samples; 0 if neither is sampled."""
        return max(self.device_samples, self.host_samples)

    @property
    def sampled_by(self) -> tuple[str, ...]:
        """Names of the options with the numbers of samples, the largest number first."""
        counts = {name: getattr(self, name) for name in SAMPLED}
        return tuple(name for name in sorted(counts, key=counts.__getitem__, reverse=True) if counts[name])

    @property
    def sampled(self) -> str:
        """Plural noun for what differs between samples."""
        counts = {"hosts": self.host_samples, "devices": self.device_samples}
        return " and ".join(name for name, count in counts.items() if count)

    @property
    def drawn_by(self) -> tuple[str, ...]:
        """Names of the seeds that have a use."""
        return tuple(seed for number, (seed, *_) in SAMPLED.items() if getattr(self, number))

    @property
    def without_use(self) -> Mapping[str, str]:
        """Options beside which a number of samples is missing: name -> end of the error "OPTION VALUE ..."."""
        reasons: dict[str, str] = {}
        for number, names in SAMPLED.items():
            if not getattr(self, number):
                flag = f"--{number.replace('_', '-')}"
                reasons |= dict.fromkeys(names, f"belongs to {flag}; add that, or remove this option")
        return reasons

    def known_device(self, profile: Profile) -> str:
        """Why all samples have the same device, as a clause; empty if devices differ, or without samples."""
        if reason := without_uncertainty(profile):
            return reason
        if not self.device_spread:
            return "--device-spread 0"
        if not self.systems or self.device_samples > 1:  # without samples given, `sampled_systems` draws devices
            return ""
        return f"--device-samples {self.device_samples}" if self.device_samples else "no --device-samples"
