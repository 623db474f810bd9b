"""A storage on devices that were measured, not named."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.options import HybridOptions


@dataclass(frozen=True, kw_only=True)
class MeasuredDevices(HybridOptions):
    """Options of such a storage.

    Args:
        measured: the devices, the fastest first; empty: not measured yet.
    """

    measured: tuple[BlockDevice, ...] = ()

    @property
    def block_devices(self) -> tuple[BlockDevice, ...]:
        """The measured devices, or those that the options name."""
        return self.measured or super().block_devices


def on_devices(storage: HybridOptions, devices: tuple[BlockDevice, ...]) -> MeasuredDevices:
    """The same options on measured devices."""
    values = {field.name: getattr(storage, field.name) for field in fields(HybridOptions)}
    return MeasuredDevices(**values, measured=devices)
