"""Block devices of a hybrid storage: Harmonia's Table 3, with a default of ours for each value that it lacks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.hybrid.device_file import read_device

US, MS = 1e3, 1e6
"""Nanoseconds of a microsecond and of a millisecond."""

HALF_TURN_MS = 30e3 / 7200
"""Half a turn of a disk with 7,200 turns a minute."""

TABLE_3, DEFAULT = "Harmonia, Table 3", "default"


@dataclass(frozen=True, kw_only=True)
class BlockDevice:
    """A block device: servers, each of which is held for the latency of an access, before one link for the data.

    Args:
        name: in configurations and results.
        read_gb_s, write_gb_s: bandwidth of the link, in GB/s (bytes/ns).
        read_us, write_us: latency of an access without its data.
        read_iops, write_iops: random accesses/s of 4 KiB or less; 0: one server.
        seek_us: further latency of an access that does not begin where the last one ended.
        read_wake_us, write_wake_us: most that an access of a request takes longer where requests left the device alone.
            Processors, links and caches sleep or serve others meanwhile; no publication states it of these devices.
        wake_half_us: time without requests after which half of that is reached.
        cached_write_us: latency of a write that the device's memory takes, without a seek; None: it has no such memory.
        capacity_gb: capacity.
        defaults: names of the fields that no publication states.
        origin: where the other values come from.

    Raises:
        InputError: for a number out of range.
    """

    name: str
    read_gb_s: float
    write_gb_s: float
    read_us: float
    write_us: float
    read_iops: float = 0.0
    write_iops: float = 0.0
    seek_us: float = 0.0
    read_wake_us: float = 0.0
    write_wake_us: float = 0.0
    wake_half_us: float = 0.0
    cached_write_us: float | None = None
    capacity_gb: float
    defaults: tuple[str, ...] = ()
    origin: str = TABLE_3

    def __post_init__(self):
        for field in ("read_gb_s", "write_gb_s", "capacity_gb"):
            self._check(field, 1e-6, 1e6)
        for field in ("read_us", "write_us", "seek_us", "read_wake_us", "write_wake_us", "wake_half_us"):
            self._check(field, 0.0, 1e9)
        for field in ("read_iops", "write_iops"):
            self._check(field, 0.0, 1e12)

    def _check(self, field: str, low: float, high: float) -> None:
        value = getattr(self, field)
        if not low <= value <= high:
            raise InputError(f"{field} of device {self.name}", value, f"{low:g} to {high:g}")

    def source(self, field: str) -> str:
        """Where the value of a field comes from: `DEFAULT`, or the device's origin."""
        return DEFAULT if field in self.defaults else self.origin

    def latency_ns(self, write: bool, sequential: bool = False, cached: bool = True) -> float:
        """Time for which an access holds its server.

        Args:
            sequential: whether it begins where the last access of the device ended.
            cached: whether the device's memory, if there is one, takes writes.
        """
        if write and cached and self.cached_write_us is not None:
            return self.cached_write_us * US
        return ((self.write_us if write else self.read_us) + (0.0 if sequential else self.seek_us)) * US

    def wake_ns(self, write: bool, idle_ns: float) -> float:
        """Further latency of an access of a request after a time t without any: W t / (t + H), with half time H."""
        wake_us = self.write_wake_us if write else self.read_wake_us
        return wake_us * US * idle_ns / (idle_ns + self.wake_half_us * US) if wake_us > 0.0 < idle_ns else 0.0

    def transfer_ns(self, write: bool, size: int) -> float:
        """Time for which the data of an access, `size` bytes, occupy the link."""
        return size / (self.write_gb_s if write else self.read_gb_s)

    def alone_ns(self, write: bool, size: int, sequential: bool = False, cached: bool = True) -> float:
        """Time of an access to a device without others: latency and transfer."""
        return self.latency_ns(write, sequential, cached) + self.transfer_ns(write, size)

    def servers(self, write: bool) -> int:
        """Accesses of this kind that the device works on at once: ceil(IOPS x latency), at least 1."""
        iops, latency_us = (self.write_iops, self.write_us) if write else (self.read_iops, self.read_us)
        return max(1, math.ceil(iops * latency_us * 1e-6 - 1e-9))


_SEEK_US = 8500.0 + 1e3 * HALF_TURN_MS
_LINES_OF_256 = 1e9 / 256

DEVICES = MappingProxyType({
    device.name: device
    for device in (
        BlockDevice(
            name="PMEM", read_gb_s=7.45, write_gb_s=2.25, read_us=0.305, write_us=0.094,
            read_iops=7.45 * _LINES_OF_256, write_iops=2.25 * _LINES_OF_256, capacity_gb=128.0,
            defaults=("read_us", "write_us", "read_iops", "write_iops"),
        ),
        BlockDevice(
            name="H", read_gb_s=2.4, write_gb_s=2.0, read_us=10.0, write_us=10.0,
            read_iops=550e3, write_iops=500e3, capacity_gb=375.0, defaults=("read_us", "write_us"),
        ),
        BlockDevice(
            name="M", read_gb_s=0.56, write_gb_s=0.51, read_us=110.0, write_us=52.0,
            read_iops=89.5e3, write_iops=21e3, capacity_gb=1920.0, defaults=("read_us", "write_us", "read_iops"),
        ),
        BlockDevice(
            name="LSSD", read_gb_s=0.52, write_gb_s=0.45, read_us=110.0, write_us=52.0,
            read_iops=44.75e3, write_iops=10.5e3, capacity_gb=960.0,
            defaults=("read_us", "write_us", "read_iops", "write_iops"),
        ),
        BlockDevice(
            name="L", read_gb_s=0.21, write_gb_s=0.21, read_us=0.0, write_us=0.0, seek_us=_SEEK_US,
            cached_write_us=100.0, capacity_gb=1000.0,
            defaults=("read_us", "write_us", "seek_us", "cached_write_us"),
        ),
    )
})  # fmt: skip
"""Name -> device, by speed. Latencies: of H, M and L from data sheets; M's reads are printed as 895,000 IOPS, which a
SATA link cannot carry, so that 89,500 stand here; PMEM's are the idle latencies of this project's device profile
(FAST'20, figure 2), and its accesses/s fill the bandwidth with lines of 256 bytes."""

CONFIGS = MappingProxyType({
    "perf": ("H", "M"),
    "cost": ("H", "L"),
    "pmem": ("PMEM", "H"),
    "tri": ("H", "M", "L"),
    "quad": ("H", "M", "LSSD", "L"),
})  # fmt: skip
"""Configuration -> names of its devices, the fastest first (Harmonia, Table 3)."""

MOST_DEVICES = 4
MEASURED = ".json"
"""End of the name of a measured device."""

_MEASURED_NAME = re.compile(rf"(.*{re.escape(MEASURED)})(?:#(\d+))?", re.DOTALL)


def devices_of(config: str) -> tuple[BlockDevice, ...]:
    """The devices of a configuration: a name of `CONFIGS`, or names or files joined by `+`, the fastest first.

    Raises:
        InputError: for an unknown configuration or device, a file of another kind, or not 2 to `MOST_DEVICES` different
            devices.
    """
    names = CONFIGS.get(config) or tuple(config.split("+"))
    joined = f"2 to {MOST_DEVICES} different devices joined by +, such as H+M"
    if len(names) == 1 and (config in DEVICES or config.endswith(MEASURED)):
        raise InputError("devices", config, f"{joined}; or {', '.join(sorted(CONFIGS))}", wrong="is a single device")
    if len(names) == 1:
        raise unknown_name("devices", config, CONFIGS, shown=[*sorted(CONFIGS), f"or {joined}"])
    if len(names) > MOST_DEVICES or len(set(names)) < len(names):
        raise InputError("devices", config, joined)
    return tuple(map(_device, names))


def _device(name: str) -> BlockDevice:
    """The device of Table 3 with a name, or that of a file (NAME.json), or sample K of a file (NAME.json#K)."""
    if measured := _MEASURED_NAME.fullmatch(name):
        file, number = measured.groups()
        device = read_device(file)
        fields = msgspec.to_builtins(device if number is None else device.sampled(int(number), file))
        return BlockDevice(
            **{key: value for key, value in fields.items() if key != "record"}, origin=f"measured: {name}"
        )
    if name not in DEVICES:
        raise unknown_name("device", name, [*DEVICES, f"FILE{MEASURED}"])
    return DEVICES[name]
