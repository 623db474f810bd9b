"""Properties of this machine: processor, memory, persistent memory, libraries and tools.

They are read from the kernel's files below `root`, so that tests can simulate other machines. The functions neither
change the machine nor open devices.
"""

from __future__ import annotations

import ctypes.util
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pmtwin import __version__
from pmtwin.sim.common.threads import usable_threads

PACKAGES = ("simpy", "numpy", "scipy", "scikit-learn", "numba", "gymnasium", "matplotlib", "joblib")
CPU_FLAGS = ("clwb", "clflushopt", "avx512f")
MIB = 2**20


def host_context(root: Path = Path("/")) -> dict:
    """Context of a result, as JSON types: processor, cores, memory, kernel, versions."""
    return {"cpu": cpu(root), "memory": memory(root), "kernel": platform.release(), "versions": versions()}


def versions() -> dict[str, str | None]:
    """Versions of Python, pmtwin and its numerical packages; None for a package that is not installed."""
    result: dict[str, str | None] = {"python": platform.python_version(), "pmtwin": __version__}
    for name in PACKAGES:
        try:
            result[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            result[name] = None
    return result


def cpu(root: Path = Path("/")) -> dict:
    """Model, counts of hardware threads, cores, sockets and NUMA nodes, instructions for persistence, usable threads.

    `usable_threads`: number of threads that this process may use, by its affinity and the limit of its control group.
    """
    model, flags = _cpuinfo(root)
    topology = [_topology(path) for path in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*"))]
    known = [pair for pair in topology if None not in pair]
    nodes = _numa_nodes(root)
    return {
        "model": model,
        "hardware_threads": len(topology) or os.cpu_count(),
        "cores": len(set(known)) or None,
        "sockets": len({socket for socket, _ in known}) or None,
        "usable_threads": usable_threads(root),
        "numa_nodes": sum(has_cpus for has_cpus in nodes.values()) or 1,
        "memory_only_nodes": [name for name, has_cpus in nodes.items() if not has_cpus],
        "flags": {flag: flag in flags for flag in CPU_FLAGS},
    }


def memory(root: Path = Path("/")) -> dict:
    """Main memory and the size of /dev/shm, in MiB; None if unknown."""
    fields = dict(line.split(":", 1) for line in read(root / "proc/meminfo").splitlines() if ":" in line)
    kib = {name: int(value.split()[0]) for name, value in fields.items() if value.split()}
    shm = root / "dev/shm"
    return {
        "total_mib": kib["MemTotal"] // 1024 if "MemTotal" in kib else None,
        "available_mib": kib["MemAvailable"] // 1024 if "MemAvailable" in kib else None,
        "dev_shm_mib": shutil.disk_usage(shm).total // MIB if shm.is_dir() else None,
    }


def persistent_memory(root: Path = Path("/")) -> dict:
    """Namespaces and device files of persistent memory, whether it is real, and CXL memory devices.

    `emulated` is true if all of it is from the kernel's `memmap=` (provider `e820`), that is DRAM with neither the
    speed nor the persistence of a real device.
    """
    bus = root / "sys/bus/nd/devices"
    providers = sorted({read(path / "provider") for path in bus.glob("ndbus*")} - {""})
    namespaces = [
        {"name": path.name, "mode": read(path / "mode"), "size_mib": int(read(path / "size") or 0) // MIB}
        for path in sorted(bus.glob("namespace*"))
    ]
    devices = sorted(f"/dev/{path.name}" for kind in ("pmem[0-9]*", "dax[0-9]*") for path in (root / "dev").glob(kind))
    return {
        "devices": devices,
        "namespaces": [namespace for namespace in namespaces if namespace["size_mib"]],  # size 0: an unused seed
        "providers": providers,
        "emulated": bool(devices) and providers == ["e820"],
        "cxl_memory": sorted(path.name for path in (root / "sys/bus/cxl/devices").glob("mem[0-9]*")),
    }


@dataclass(frozen=True)
class Mount:
    """A mounted file system: its source, folder and type, the number `MAJOR:MINOR` of its device, direct access."""

    device: str
    folder: str
    type: str
    number: str
    direct_access: bool


def dax_mounts(root: Path = Path("/")) -> list[Mount]:
    """File systems mounted with direct access."""
    return [mount for mount in _mounts(root) if mount.direct_access]


def mount_of(path: str, root: Path = Path("/")) -> Mount | None:
    """The file system of a path; None if the table of mounts lacks it."""
    real = os.path.realpath(path)
    nearest = None
    for mount in _mounts(root):
        folder = os.path.realpath(mount.folder)
        # a later mount on the same folder hides the earlier one
        longer = nearest is None or len(folder) >= len(os.path.realpath(nearest.folder))
        if longer and os.path.commonpath((real, folder)) == folder:
            nearest = mount
    return nearest


def is_virtual(root: Path = Path("/")) -> bool:
    """Whether the processor reports a virtual machine."""
    return "hypervisor" in _cpuinfo(root)[1]


def _mounts(root: Path) -> list[Mount]:
    """`ID PARENT MAJOR:MINOR ROOT FOLDER OPTIONS [FIELDS] - TYPE DEVICE OPTIONS`, blanks in names as octal numbers."""
    mounts = []
    for line in read(root / "proc/self/mountinfo").splitlines():
        place, _, system = line.partition(" - ")
        _, _, number, _, folder, options, *_ = place.split()
        kind, device, more = system.split()
        direct = not {"dax", "dax=always"}.isdisjoint(f"{options},{more}".split(","))
        mounts.append(Mount(_without_octals(device), _without_octals(folder), kind, number, direct))
    return mounts


def _without_octals(name: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), name)


def library(name: str) -> str | None:
    """Version of a library from pkg-config, or the file that the loader finds; None without either."""
    version = tool_output("pkg-config", "--modversion", f"lib{name}") or tool_output("pkg-config", "--modversion", name)
    return version or ctypes.util.find_library(name)


def tool_output(*command: str) -> str | None:
    """First line of a command's output; None if it is absent, fails, or takes over five seconds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return next(iter(done.stdout.splitlines()), None)


def _cpuinfo(root: Path) -> tuple[str, set[str]]:
    model = ""
    flags: set[str] = set()
    for line in read(root / "proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name" and not model:
            model = value.strip()
        elif name.strip() in ("flags", "Features") and not flags:
            flags = set(value.split())
    return model or platform.machine(), flags


def _topology(path: Path) -> tuple[int | None, int | None]:
    socket, core = (read(path / "topology" / name) for name in ("physical_package_id", "core_id"))
    return (int(socket) if socket else None, int(core) if core else None)


def _numa_nodes(root: Path) -> dict[str, bool]:
    """Node -> whether it has processors; a node without is only memory: CXL, or pmem used as main memory."""
    paths = sorted((root / "sys/devices/system/node").glob("node[0-9]*"))
    return {path.name: bool(read(path / "cpulist")) for path in paths}


def read(path: Path) -> str:
    """Text of a kernel file without its last newline; empty if the file is absent or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
