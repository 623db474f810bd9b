"""Kind of memory below a file system, from its mount and its block device in the kernel's files.

A machine may have several kinds of memory, so only the device of the mount counts: the device of the file system
(`/proc/self/mountinfo`), its entry in sysfs (`/sys/dev/block/MAJOR:MINOR`), and there the region and the bus of the
NVDIMM driver (Documentation/ABI/testing/sysfs-bus-nfit and Documentation/driver-api/nvdimm of the kernel).
"""

from __future__ import annotations

from pathlib import Path

from pmtwin.machine import machine

PERSISTENT_PROVIDERS = ("ACPI.NFIT", "CXL")
"""Entries `provider` of NVDIMM buses whose `nd_pmem` regions are persistent modules."""

IN_MEMORY = ("tmpfs", "ramfs")
"""File systems in main memory."""


def medium_of_mount(mount: machine.Mount | None, root: Path = Path("/")) -> tuple[str | None, str]:
    """(`pmem`, `dram`, or None for neither or unknown; short description of the device below the mount)."""
    if mount is None:
        return None, "an unknown file system"
    if mount.type in IN_MEMORY:
        return "dram", mount.type
    if not mount.direct_access:
        return None, f"{mount.type} without direct access"
    medium, what = _medium_of_device(root / "sys/dev/block" / mount.number, root)
    return medium, f"{mount.type} on {what}"


def _medium_of_device(link: Path, root: Path) -> tuple[str | None, str]:
    device = link.resolve()
    if not device.is_dir():
        return None, "no block device"
    parts = [_medium_of_device(part, root) for part in sorted((device / "slaves").glob("*"))]  # of the device mapper
    if parts:
        kinds = {medium for medium, _ in parts}
        return (kinds.pop() if len(kinds) == 1 else None), " and ".join(dict.fromkeys(what for _, what in parts))
    bus, region = (next((path for path in device.parents if path.name.startswith(kind)), None) for kind in _ABOVE)
    if bus is None or region is None:
        return None, f"the block device {device.name}, which is no persistent memory"
    provider, kind = machine.read(bus / "provider"), machine.read(region / "devtype")
    if provider == "e820":
        return "dram", "DRAM that the kernel presents as pmem (memmap=)"
    if provider not in PERSISTENT_PROVIDERS:
        return None, f"a device of the provider {provider or 'without a name'}, behind which may be anything"
    if kind != "nd_pmem":
        return ("dram" if kind == "nd_volatile" else None), f"a region of kind {kind or 'unknown'} of {provider}"
    if machine.is_virtual(root):
        return None, f"a virtual device ({provider}): its host knows what that is, a virtual machine does not"
    return "pmem", f"persistent memory ({provider})"


_ABOVE = ("ndbus", "region")
