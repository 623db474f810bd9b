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
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ROOMS = (
    TOP / "sim",
    *(TOP / "policies" / name for name in ("linear_q", "network", "replacement", "training", "value")),
    *sorted(path.parent for path in TOP.glob("scenarios/*/*/kernel.py")),
)
"""The folders with compiled functions and with all that is built into them; numba freezes global constants too."""

PREFIX = "pmtwin-"
VARIABLE = "NUMBA_CACHE_DIR"
KEPT = 4
"""Number of caches of earlier sources that are kept: users change between two versions."""

_NAME = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")
_LOCK = threading.Lock()


def njit(function: Callable | None = None, **options) -> Callable:
    """`numba.njit` for the functions of this project; with `cache=True` the result is kept in `cache_folder()`.

    A folder that cannot be written makes a warning, and the function is compiled in each process anew.

    Args:
        function: what to compile; None to use it with options, as in `@njit(cache=True)`.
        **options: those of `numba.njit`.
    """
    if function is None:
        return functools.partial(njit, **options)
    import numba

    if not options.pop("cache", False):
        return numba.njit(**options)(function)  # noqa: TID251
    with _LOCK:
        _WATCH.install()
        return _cached(numba, function, options)


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
def cache_folder() -> Path:
    """The folder of the present sources; all but the latest of earlier sources are removed.

    A folder that the user named in NUMBA_CACHE_DIR is respected: ours goes below it. Child processes come to the same
    one, because they see the same sources and variables.
    """
    folder = _base() / f"{PREFIX}{source_digest(ROOMS)}"
    if not folder.is_dir():
        _prune(folder.parent)
    return folder


ANNOUNCEMENT = "compiling what this command needs of the simulator, kept for later runs: 30 to 80 s on a free processor"
"""What a user is told when it begins, once a command: another command may need other functions."""

WAIT = "waiting for the compiler"
"""What progress says meanwhile."""

OURS = "pmtwin."
"""How the names of our modules begin."""

_MARK = "compiling-"

LONGEST_S = 1800.0
"""No function takes longer to compile."""


def announce(told: Callable[[], object] | None) -> None:
    """Call `told` when this process next begins to compile a function of ours, once; None: nobody is told."""
    _WATCH.told = told


def is_compiling() -> bool:
    """Whether this process, or another one on the same sources (a worker, for instance), compiles now."""
    if _WATCH.depth:
        return True
    return any(map(_is_valid, cache_folder().glob(f"{_MARK}*")))


def _is_valid(mark: Path) -> bool:
    """Whether the process that left a mark compiles still; one that was killed leaves its mark behind."""
    try:
        os.kill(int(mark.name.removeprefix(_MARK)), 0)
        return time.time() - mark.stat().st_mtime < LONGEST_S
    except (ValueError, OSError):
        return False


class _Watch:
    """Listens to numba: counts compilations in progress, and leaves a mark that other processes see."""

    def __init__(self):
        self.depth, self.told, self._installed = 0, None, False

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
        if not getattr(function, "__module__", "").startswith(OURS):
            return
        if begins and not self.depth:
            self._mark(True)
            told, self.told = self.told, None
            if told is not None:
                told()
        self.depth += 1 if begins else -1
        if not self.depth:
            self._mark(False)

    @staticmethod
    def _mark(present: bool) -> None:
        mark = cache_folder() / f"{_MARK}{os.getpid()}"
        try:
            if present:
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.touch()
            else:
                mark.unlink(missing_ok=True)
        except OSError:  # a folder that cannot be written, about which numba's user is warned
            return


_WATCH = _Watch()


def _cached(numba, function: Callable, options: dict) -> Callable:
    """The function compiled with its cache in our folder: numba settles the place of a cache at the decoration."""
    folder = str(cache_folder())
    settings = {"CACHE_DIR": folder, "CACHE_LOCATOR_CLASSES": ""}  # the second: numba's other way to choose a place
    before = {name: getattr(numba.config, name) for name in settings if hasattr(numba.config, name)}
    try:
        for name in before:
            setattr(numba.config, name, settings[name])
        compiled = numba.njit(cache=True, **options)(function)
    finally:
        for name, value in before.items():
            setattr(numba.config, name, value)
    place = compiled.stats.cache_path if hasattr(compiled, "stats") else folder  # NUMBA_DISABLE_JIT: a plain function
    if place.startswith(folder):
        return compiled
    warnings.warn(_not_kept(folder), RuntimeWarning, stacklevel=1)  # one place, so that it is shown once
    return numba.njit(**options)(function)  # anywhere else numba could find a stale one


def _not_kept(folder: str) -> str:
    """Warns that compiled code is not cached. One text for all functions, so that it is shown once."""
    return (
        f"compiled code cannot be kept in {folder}: each process compiles it anew, which takes seconds; "
        f"set {VARIABLE} to a folder that can be written"
    )


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


def _base() -> Path:
    """Parent of the cache folder: the user's choice, the sources' folder, the home, or a temporary folder."""
    numba = sys.modules.get("numba")
    named = numba.config.CACHE_DIR if numba else os.environ.get(VARIABLE)
    if named:
        return Path(named)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pmtwin"
    temporary = Path(tempfile.gettempdir()) / f"pmtwin-{os.getuid()}"
    places = (Path(__file__).resolve().parent / "__pycache__", home)
    return next((place for place in places if _writable(place)), temporary)


def _writable(folder: Path) -> bool:
    """Whether files can be made in the folder, or the folder in the nearest one that exists."""
    present = next(place for place in (folder, *folder.parents) if place.exists())
    return os.access(present, os.W_OK | os.X_OK)
