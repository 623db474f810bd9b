"""The decorator of all compiled functions, and the cache folder of their compiled code.

Numba recompiles a cached function when its file changes, but not when an inlined function or a constant changes in
another file. Therefore the folder is named by a hash of the sources (docs/design.md, "Compiled code is never stale").
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pmtwin.sim.errors import InputError

if TYPE_CHECKING:  # numba takes most of a second to import
    from numba.core.dispatcher import Dispatcher

TOP = Path(__file__).resolve().parents[2]
ROOMS = (
    TOP / "sim",
    *(
        TOP / "policies" / name
        for name in ("choices", "linear_q", "network", "replacement", "tiering", "training", "value")
    ),
    *sorted(TOP.glob("scenarios/*/model")),
    *sorted(path.parent for path in TOP.glob("scenarios/*/*/kernel.py")),
)
"""Folders with compiled functions and everything that is built into them, such as global constants."""

PREFIX = "pmtwin-"
VARIABLE = "NUMBA_CACHE_DIR"
KEPT = 4
"""Number of cache folders that are kept, for users who switch between versions."""

DISABLING = "NUMBA_DISABLE_JIT"

INNER: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of numba for a function that compiled code alone calls: no entries for Python and for C. Entries would take a
third of the time to compile a kernel of many functions; what `overload` compiles takes them as `jit_options`."""

SHIPPED = TOP / "sim" / "__pycache__"
"""The cache beside the sources, for all users of an installation."""

_NAME = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")
_LOCK = threading.Lock()


def njit(function: Callable | None = None, **options) -> Callable:
    """`numba.njit` for the functions of pmtwin; with `cache=True`, the code is kept in `cache_folder()`.

    If the folder cannot be written, there is a warning, and each process compiles the function again.

    Args:
        function: the function to compile; None in a decorator with options, `@njit(cache=True)`.
        **options: those of `numba.njit`; and `inner=True` for a function that compiled code alone calls (`INNER`).

    Raises:
        InputError: numba's compiler is switched off (`NUMBA_DISABLE_JIT`).
    """
    if function is None:
        return functools.partial(njit, **options)
    import numba

    # the simulator's records have named fields in compiled code only
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set from the environment
        allowed = "0, or unset, before numba is imported: the simulator runs compiled only"
        raise InputError(f"environment variable {DISABLING}", "1", allowed)
    is_cached, is_inner = options.pop("cache", False), options.pop("inner", False)
    options = {**options, **INNER} if is_inner else {"no_cfunc_wrapper": True, **options}  # nothing is called from C
    compiled = numba.njit(**options)(function)  # noqa: TID251
    if is_inner:
        _refuse_python(compiled)
    if is_cached:
        with _LOCK:
            _WATCH.install()
            _keep(numba, compiled)
    return compiled


def _refuse_python(compiled: Dispatcher) -> None:
    """Let a call from Python raise a TypeError: of a function without an entry for it, numba would call address 0."""

    def refuse(*arguments: Any, **named: Any) -> None:
        raise TypeError(f"{compiled.py_func.__qualname__} is an inner function: compiled code alone can call it")

    compiled._insert = lambda *entry: None  # type: ignore[attr-defined]  # numba's table of entries stays empty
    compiled._compile_for_args = refuse  # type: ignore[attr-defined]  # what a call without an entry comes to


def source_digest(folders: Iterable[Path]) -> str:
    """Digest of the Python sources below `folders`: sixteen hexadecimal digits."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(_sources(folder)):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder.parent)} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> Iterator[Path]:
    """Python sources below `folder`; caches are not entered: another process may be removing old ones."""
    for parent, below, files in os.walk(folder):
        below[:] = [name for name in below if name != "__pycache__"]
        yield from (Path(parent, name) for name in files if name.endswith(".py"))


@functools.cache
def cache_folder() -> Path | None:
    """The cache folder of the present sources; None: no folder can be written.

    When it is new, the oldest folders of other sources are removed (`KEPT`). NUMBA_CACHE_DIR names the folder above it.
    Child processes use the same folder, since they have the same sources and environment.
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
    """Folders in which compiled code is looked up: first the one beside the sources, of the installation."""
    folder = cache_folder()
    shipped = SHIPPED / _folder_name()
    return [shipped, *([folder] if folder is not None and folder != shipped else [])]


@functools.cache
def _folder_name() -> str:
    return f"{PREFIX}{source_digest(ROOMS)}"


ANNOUNCEMENT = "compiling what this command needs of the simulator, kept for later runs: 30 to 80 s on a free processor"
"""Message when a command begins to compile."""

USERS = "compiling {} into the simulator, kept until the file changes: up to 20 s on a free processor, once what the "
USERS += "simulator itself needs is kept"
"""Message when a user's policies are compiled into the simulator."""

ELSEWHERE = " (what is kept here was compiled for another processor)"
"""End of the message if the cache holds code for another processor."""

WAIT = "waiting for the compiler"
"""Text of progress bars during compilation."""

OURS = "pmtwin."
"""Start of the names of pmtwin's modules."""

_MARK = "compiling-"

LONGEST_S = 1800.0
"""Age in seconds from which on a mark of a compilation is ignored: no function takes as long."""


def announce(report: Callable[[str], object] | None) -> None:
    """Call `report` with a message, once, when this process next begins to compile a function of pmtwin.

    Args:
        report: such as a function that prints; None: no message.
    """
    _WATCH.report, _WATCH.users = report, []


def with_users(spec: str) -> None:
    """Name a user's policy, which is compiled from now on, in the message of `announce`."""
    if spec not in _WATCH.users:
        _WATCH.users.append(spec)


def compilations() -> int:
    """Number of compilations in this process; a function of pmtwin and the functions that it calls count as one."""
    return _WATCH.count


def is_compiling() -> bool:
    """Whether this process, or a process that it started with the same sources (such as a worker), is compiling.

    No process waits for the compiler of another command, such as a `pmtwin warm` in another terminal.
    """
    if _WATCH.depth:
        return True
    folder = cache_folder()
    return folder is not None and any(map(_is_valid, folder.glob(f"{_MARK}*")))


def _is_valid(mark: Path) -> bool:
    """Whether a mark is of this process, or of one below, that may still be compiling; a killed one leaves its mark."""
    import psutil

    try:
        compiler = psutil.Process(int(mark.name.removeprefix(_MARK)))
        ours = os.getpid() in (process.pid for process in (compiler, *compiler.parents()))
        return ours and time.time() - mark.stat().st_mtime < LONGEST_S
    except (ValueError, OSError, psutil.Error):
        return False


class _Watch:
    """Listener to numba's events: counts compilations; during each, there is a mark, and no garbage is collected."""

    def __init__(self) -> None:
        self.depth, self.count, self._installed, self._collects = 0, 0, False, False
        self.report: Callable[[str], object] | None = None
        self.users: list[str] = []

    def install(self) -> None:
        """Register the listener, once."""
        if self._installed:
            return
        from numba.core import event

        class Listener(event.Listener):
            on_start = staticmethod(lambda event: self.note(event, True))
            on_end = staticmethod(lambda event: self.note(event, False))

        event.register("numba:compile", Listener())
        self._installed = True

    def note(self, event: Any, begins: bool) -> None:
        """Note the begin or the end of a compilation; those of inner functions lie within that of the outermost."""
        function = getattr(event.data["dispatcher"], "py_func", None)
        if not (getattr(function, "__module__", None) or "").startswith(OURS):
            return
        if begins and not self.depth:
            self._collects = gc.isenabled()
            gc.disable()  # of the objects that numba makes few are garbage: each look through them is a loss
            self._mark(True)
            self.count += 1
            report, self.report = self.report, None
            if report is not None:
                from pmtwin.sim.compiling.cache import FOREIGN

                message = USERS.format(f"policy {' and '.join(self.users)}") if self.users else ANNOUNCEMENT
                report(f"{message}{ELSEWHERE if FOREIGN else ''}")
        self.depth += 1 if begins else -1
        if not self.depth:
            self._mark(False)
            if self._collects:
                gc.enable()

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
        except OSError:  # the folder cannot be written; the cache warns about it
            return


_WATCH = _Watch()


def _keep(numba: ModuleType, compiled: Dispatcher) -> None:
    """Give a compiled function its cache; numba's setting for the choice of a folder must not affect it."""
    from pmtwin.sim.compiling.cache import LayeredCache

    locators = getattr(numba.config, "CACHE_LOCATOR_CLASSES", "")
    try:
        if locators:
            numba.config.CACHE_LOCATOR_CLASSES = ""
        cache = LayeredCache(compiled.py_func, readable_folders(), cache_folder())
        compiled._cache = cache  # type: ignore[attr-defined]  # numba does not declare it
    finally:
        if locators:
            numba.config.CACHE_LOCATOR_CLASSES = locators


def _prune(base: Path) -> None:
    """Remove all cache folders but the `KEPT` most recently used: each edit of the sources leaves some megabytes.

    A process that still runs with older sources compiles the missing functions again.
    """

    def last_used(folder: Path) -> float:
        try:
            return folder.stat().st_mtime
        except OSError:  # another process has removed it
            return 0.0

    try:
        folders = [entry for entry in base.iterdir() if _NAME.fullmatch(entry.name) and entry.is_dir()]
    except OSError:
        return
    for folder in sorted(folders, key=last_used, reverse=True)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def _base() -> Path | None:
    """Parent of the cache folder: NUMBA_CACHE_DIR, or the first writable one of sources, home and temporary folder."""
    named = _named()
    if named:
        return Path(named)
    return next((place for place in (SHIPPED, _home(), _temporary()) if place and _writable(place)), None)


def _named() -> str:
    numba = sys.modules.get("numba")
    return numba.config.CACHE_DIR if numba else os.environ.get(VARIABLE, "")


def _home() -> Path | None:
    """pmtwin's folder among the user's caches; None for a user without a home."""
    caches = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(caches) if os.path.isabs(caches) else Path.home() / ".cache") / "pmtwin"
    except RuntimeError:  # no HOME, and an unknown user number
        return None


def _temporary() -> Path | None:
    """A temporary folder of this user; None if it cannot be made, or another user owns it, whose code must not run."""
    try:
        folder = Path(tempfile.gettempdir()) / f"pmtwin-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder if folder.lstat().st_uid == os.getuid() and not folder.is_symlink() else None
    except OSError:
        return None


def _writable(folder: Path) -> bool:
    """Whether files can be created in the folder or, if it does not exist, in its nearest existing parent."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
