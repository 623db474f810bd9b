"""Decorator of all compiled functions, and the cache folder of their compiled code.

Numba recompiles a cached function when its file changes, but not when an inlined function or a constant changes in
another file. Therefore the folder is named by a hash of the sources (docs/design.md, "Compiled code is never stale").
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from pmtwin.sim.errors import InputError

if TYPE_CHECKING:  # numba takes most of a second to import
    from numba.core.dispatcher import Dispatcher

TOP = Path(__file__).resolve().parents[2]
ROOMS = (
    TOP / "sim",
    *(TOP / "policies" / name for name in ("choices", "linear_q", "network", "replacement", "training", "value")),
    *sorted(TOP.glob("scenarios/*/model")),
    *sorted(path.parent for path in TOP.glob("scenarios/*/*/kernel.py")),
)
"""The folders with compiled functions and with all that is built into them; numba freezes global constants too."""

PREFIX = "pmtwin-"
VARIABLE = "NUMBA_CACHE_DIR"
KEPT = 4
"""Number of caches of earlier sources that are kept: users change between two versions."""

DISABLING = "NUMBA_DISABLE_JIT"

SHIPPED = TOP / "sim" / "__pycache__"
"""Beside the sources, for all users of an installation."""

_NAME = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")
_LOCK = threading.Lock()


def njit(function: Callable | None = None, **options) -> Callable:
    """`numba.njit` for the functions of this project; with `cache=True` the result is kept in `cache_folder()`.

    A folder that cannot be written makes a warning, and the function is compiled in each process anew.

    Args:
        function: what to compile; None to use it with options, as in `@njit(cache=True)`.
        **options: those of `numba.njit`.

    Raises:
        InputError: numba was told to compile nothing.
    """
    if function is None:
        return functools.partial(njit, **options)
    import numba

    # the records of the simulator have fields in compiled code alone
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set from the environment
        allowed = "0; or unset it before numba is imported: the simulator runs compiled only"
        raise InputError(f"environment variable {DISABLING}", "1", allowed)
    kept = options.pop("cache", False)
    compiled = numba.njit(**options)(function)  # noqa: TID251
    if kept:
        with _LOCK:
            _WATCH.install()
            _keep(numba, compiled)
    return compiled


def source_digest(folders: Iterable[Path]) -> str:
    """Sixteen hexadecimal digits that change with any source below `folders`."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder.parent)} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path | None:
    """The folder of the present sources; all but the latest of earlier sources are removed. None: nothing can be kept.

    A folder that the user named in NUMBA_CACHE_DIR is respected: ours goes below it. Child processes come to the same
    one, because they see the same sources and variables.
    """
    base = _base()
    if base is None:
        return None
    folder = base / _folder_name()
    if not folder.is_dir():
        _prune(folder.parent)
    return folder


@functools.cache
def readable_folders() -> list[Path]:
    """Where compiled code is looked for: first beside the sources, where whoever installed them may have put it."""
    folder = cache_folder()
    shipped = SHIPPED / _folder_name()
    return [shipped, *([folder] if folder is not None and folder != shipped else [])]


@functools.cache
def _folder_name() -> str:
    return f"{PREFIX}{source_digest(ROOMS)}"


ANNOUNCEMENT = "compiling what this command needs of the simulator, kept for later runs: 30 to 80 s on a free processor"
"""What a user is told when it begins, once a command: another command may need other functions."""

USERS = "compiling {} into the simulator, kept until the file changes: up to 20 s on a free processor, once what the "
USERS += "simulator itself needs is kept"
"""The same where a user's policies take part."""

ELSEWHERE = " (what is kept here was compiled for another processor)"
"""Why, where code is kept."""

WAIT = "waiting for the compiler"
"""What progress says meanwhile."""

OURS = "pmtwin."
"""How the names of our modules begin."""

_MARK = "compiling-"

LONGEST_S = 1800.0
"""No function takes longer to compile."""


def announce(told: Callable[[str], object] | None) -> None:
    """Call `told` with what to say when this process next begins to compile a function of ours, once."""
    _WATCH.told, _WATCH.users = told, []


def with_users(spec: str) -> None:
    """A user's policy takes part in what is compiled from now on; what is told names it."""
    if spec not in _WATCH.users:
        _WATCH.users.append(spec)


def compilations() -> int:
    """How often this process compiled a function of ours and those inside it."""
    return _WATCH.count


def is_compiling() -> bool:
    """Whether this process, or another one on the same sources (a worker, for instance), compiles now."""
    if _WATCH.depth:
        return True
    folder = cache_folder()
    return folder is not None and any(map(_is_valid, folder.glob(f"{_MARK}*")))


def _is_valid(mark: Path) -> bool:
    """Whether the process that left a mark compiles still; one that was killed leaves its mark behind."""
    try:
        os.kill(int(mark.name.removeprefix(_MARK)), 0)
        return time.time() - mark.stat().st_mtime < LONGEST_S
    except (ValueError, OSError):
        return False


class _Watch:
    """Listens to numba: counts compilations in progress, and leaves a mark that other processes see."""

    def __init__(self) -> None:
        self.depth, self.count, self._installed = 0, 0, False
        self.told: Callable[[str], object] | None = None
        self.users: list[str] = []

    def install(self) -> None:
        """Listen, from now on."""
        if self._installed:
            return
        from numba.core import event

        class Listener(event.Listener):
            on_start = staticmethod(lambda event: self.note(event, True))
            on_end = staticmethod(lambda event: self.note(event, False))

        event.register("numba:compile", Listener())
        self._installed = True

    def note(self, event, begins: bool) -> None:
        """A compilation begins or ends; those of inner functions lie within that of the outermost."""
        function = getattr(event.data["dispatcher"], "py_func", None)
        if not (getattr(function, "__module__", None) or "").startswith(OURS):
            return
        if begins and not self.depth:
            self._mark(True)
            self.count += 1
            told, self.told = self.told, None
            if told is not None:
                from pmtwin.sim.compiling.cache import FOREIGN

                what = USERS.format(f"policy {' and '.join(self.users)}") if self.users else ANNOUNCEMENT
                told(f"{what}{ELSEWHERE if FOREIGN else ''}")
        self.depth += 1 if begins else -1
        if not self.depth:
            self._mark(False)

    @staticmethod
    def _mark(present: bool) -> None:
        folder = cache_folder()
        if folder is None:
            return
        mark = folder / f"{_MARK}{os.getpid()}"
        try:
            if present:
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.touch()
            else:
                mark.unlink(missing_ok=True)
        except OSError:  # a folder that cannot be written, about which numba's user is warned
            return


_WATCH = _Watch()


def _keep(numba: ModuleType, compiled: Dispatcher) -> None:
    """Give a compiled function its cache: of numba's own ways to choose a place none may reach ours."""
    from pmtwin.sim.compiling.cache import LayeredCache

    way = getattr(numba.config, "CACHE_LOCATOR_CLASSES", "")
    try:
        if way:
            numba.config.CACHE_LOCATOR_CLASSES = ""
        cache = LayeredCache(compiled.py_func, readable_folders(), cache_folder())
        compiled._cache = cache  # type: ignore[attr-defined]  # numba declares no type of it
    finally:
        if way:
            numba.config.CACHE_LOCATOR_CLASSES = way


def _prune(base: Path) -> None:
    """Remove all but the `KEPT` folders that were compiled into last: each edit would leave some megabytes behind.

    A process that still runs on older sources compiles again what it misses.
    """

    def last_used(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except OSError:  # another process was faster
            return 0.0

    try:
        ours = [entry for entry in base.iterdir() if _NAME.fullmatch(entry.name) and entry.is_dir()]
    except OSError:
        return
    for folder in sorted(ours, key=last_used, reverse=True)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _base() -> Path | None:
    """Parent of the cache folder: the user's choice, the sources' folder, the home, or a temporary folder; or none."""
    named = _named()
    if named:
        return Path(named)
    return next((place for place in (SHIPPED, _home(), _temporary()) if place and _writable(place)), None)


def _named() -> str:
    numba = sys.modules.get("numba")
    return numba.config.CACHE_DIR if numba else os.environ.get(VARIABLE, "")


def _home() -> Path | None:
    """Our folder among the user's caches; None for a user who has no home."""
    caches = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(caches) if os.path.isabs(caches) else Path.home() / ".cache") / "pmtwin"
    except RuntimeError:  # no HOME, and a number that stands for no user
        return None


def _temporary() -> Path | None:
    """A folder of this user alone; None where somebody else made it, whose code we would run, or where none can be."""
    try:
        folder = Path(tempfile.gettempdir()) / f"pmtwin-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder if folder.lstat().st_uid == os.getuid() and not folder.is_symlink() else None
    except OSError:
        return None


def _writable(folder: Path) -> bool:
    """Whether files can be made in the folder, or the folder in the nearest one that exists."""
    present = next(place for place in (folder, *folder.parents) if place.exists())
    return present.is_dir() and os.access(present, os.W_OK | os.X_OK)
