"""Threads of a simulation, and the number of processors that this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MOST_THREADS = 1024
"""Largest number of threads of a simulation."""

_GROUPS = Path("sys/fs/cgroup")
_VERSION_2 = ("", "unified")
"""Folders below `_GROUPS` of control groups of version 2: alone, or beside groups of version 1."""

_VERSION_1 = ("cpu", "cpu,cpuacct", "cpuacct,cpu")
"""Folders below `_GROUPS` of the groups of version 1 that limit processors."""


def usable_processors(root: Path = Path("/")) -> int:
    """Number of processors that this process may use, by its affinity and control groups; at least one."""
    return max(1, int(usable_threads(root)))


def usable_threads(root: Path = Path("/")) -> float:
    """Hardware threads that this process may use, by its affinity and control groups; not always whole.

    Args:
        root: folder of the kernel's files, for tests.
    """
    threads = len(os.sched_getaffinity(0))
    return min([threads, *(round(quota, 2) for quota in _quotas(root))])


def _quotas(root: Path) -> Iterator[float]:
    """Limits of the control group of this process and of all groups around it, in processors."""
    for folders, group in _own_groups(root):
        for folder in folders:
            for name in (group, *group.parents):
                yield from _quota(root / _GROUPS / folder / name)


def _own_groups(root: Path) -> Iterator[tuple[tuple[str, ...], PurePosixPath]]:
    """(folders of a tree of control groups, group of this process in it) for each tree that may limit processors.

    In a container the group may be the one outside it, which has no folder; the root of the tree then has the limit.
    """
    yield _VERSION_2, PurePosixPath()
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        if not controllers or "cpu" in controllers.split(","):
            parts = [part for part in place.split("/") if part not in ("", "..")]
            yield (_VERSION_1 if controllers else _VERSION_2), PurePosixPath(*parts)


def _quota(folder: Path) -> Iterator[float]:
    """The limit of the group in a folder, in processors; nothing if it has none."""
    version_2 = _read(folder / "cpu.max").split()
    version_1 = [_read(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period")]
    for words in (version_2, version_1):
        try:
            quota, period = map(int, words)
        except ValueError:  # "max", or no such files
            continue
        if quota > 0 and period > 0:
            yield quota / period


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
