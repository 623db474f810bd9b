"""Threads that simulate at once, and how many processors this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MOST_THREADS = 1024

_GROUPS = Path("sys/fs/cgroup")
_VERSION_2 = ("", "unified")
"""Where the tree of control groups of version 2 is mounted, below `_GROUPS`; the second beside groups of version 1."""

_VERSION_1 = ("cpu", "cpu,cpuacct", "cpuacct,cpu")
"""The same for the tree of version 1 that limits processors."""


def usable_processors(root: Path = Path("/")) -> int:
    """Whole processors that this process may use, at least one: by its affinity and its control groups."""
    return max(1, int(usable_threads(root)))


def usable_threads(root: Path = Path("/")) -> float:
    """Hardware threads that this process may use: its affinity, or less where a control group limits it.

    Args:
        root: where the kernel's files are.
    """
    threads = len(os.sched_getaffinity(0))
    return min([threads, *(round(quota, 2) for quota in _quotas(root))])


def _quotas(root: Path) -> Iterator[float]:
    """Processors granted by the control group of this process and by all groups around it: each limit holds."""
    for folders, group in _own_groups(root):
        for folder in folders:
            for name in (group, *group.parents):
                yield from _quota(root / _GROUPS / folder / name)


def _own_groups(root: Path) -> Iterator[tuple[tuple[str, ...], PurePosixPath]]:
    """Each tree of groups that may limit processors, with the place of this process in it.

    In a container the place may be that outside, and the folders absent; the root of the tree is then its own group.
    """
    yield _VERSION_2, PurePosixPath()
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        if not controllers or "cpu" in controllers.split(","):
            parts = [part for part in place.split("/") if part not in ("", "..")]
            yield (_VERSION_1 if controllers else _VERSION_2), PurePosixPath(*parts)


def _quota(folder: Path) -> Iterator[float]:
    """Processors that the group of the folder grants; nothing where it sets no limit."""
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
