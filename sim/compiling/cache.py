"""The cache of a compiled function in several folders, of which all are read and one is written.

Numba's own cache has a single folder, which must be writable. With several, an installation by root can hold the
compiled code for all users, and code that it lacks goes into a folder of the user.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import warnings
from collections.abc import Sequence
from pathlib import Path

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

TOP = Path(__file__).resolve().parents[2]

UNREADABLE = (OSError, EOFError, ValueError, TypeError, AttributeError, ImportError, IndexError, pickle.PickleError)
"""Exceptions that a truncated cache file raises, or one that this user may not read."""

ASKED: set[str] = set()
"""Entries that this process looked up: `FUNCTION:DIGEST_OF_TYPES`."""

FOREIGN: list[str] = []
"""Functions whose cached code is for another processor only."""


class LayeredCache(FunctionCache):
    """Numba's cache of a function, over several folders.

    Args:
        function: the function to compile.
        readable: folders to look into, in this order.
        written: folder for new code; None: new code is not cached.
    """

    def __init__(self, function, readable: Sequence[Path], written: Path | None):
        super().__init__(function)
        base, place, stamp = self._impl.filename_base, self._cache_path, self._impl.locator.get_source_stamp()
        self._cache_file = _Layers(base, [IndexDataCacheFile(str(folder / place), base, stamp) for folder in readable])
        self._cache_file.written = written and IndexDataCacheFile(str(written / place), base, stamp)
        self._cache_path, self._written = written and str(written / place), written

    def save_overload(self, sig, data):
        """Write a compiled function into the cache; warn if the folder cannot be written."""
        try:
            if self._cache_path:
                os.makedirs(self._cache_path, exist_ok=True)
            super().save_overload(sig, data)
        except (OSError, RuntimeError):  # RuntimeError: another function has taken over the code
            _warn(str(self._written))


class _Locator:
    """Place of a function's code below each cache folder, and the version of its source."""

    def __init__(self, file: str, line: int):
        self._py_file, self._line = file, line  # the first is numba's name

    @classmethod
    def from_function(cls, function, file: str) -> _Locator:
        return cls(file, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """Nothing to do: `LayeredCache` makes the folder."""

    def get_cache_path(self) -> str:
        """A relative path; for pmtwin's sources the same wherever they lie, so that a moved copy keeps its code."""
        folder = Path(self._py_file).resolve().parent
        if folder.is_relative_to(TOP):
            return "-".join(folder.relative_to(TOP).parts)
        return f"{folder.name}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"

    def get_source_stamp(self) -> str:
        return _digest(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


@functools.cache
def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


class _Places(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as numba declares it


LayeredCache._impl_class = _Places


class _Layers:
    """Numba's cache files of one function in several folders, with the interface of a single one."""

    written: IndexDataCacheFile | None

    def __init__(self, name: str, readable: list[IndexDataCacheFile]):
        self._name, self._readable = name, readable

    def load(self, key):
        """The entry of the first folder that has it."""
        ASKED.add(f"{self._name}:{hashlib.sha256(repr(key[0]).encode()).hexdigest()[:16]}")
        for file in self._readable:
            try:
                if (data := file.load(key)) is not None:
                    return data
                if any(entry[0] == key[0] and entry[1] != key[1] for entry in file._load_index()):
                    FOREIGN.append(self._name)
            except UNREADABLE:
                continue
        return None

    def save(self, key, data) -> None:
        """Save an entry in the writable folder, if there is one."""
        if self.written is None:
            _warn("any folder")
            return
        try:
            self.written.save(key, data)
        except OSError:
            raise
        except UNREADABLE:  # a truncated index
            self.written.flush()
            self.written.save(key, data)

    def flush(self) -> None:
        if self.written is not None:
            self.written.flush()


@functools.cache
def _warn(folder: str) -> None:
    """Warn once per folder; Python's own record of shown warnings is reset by numba."""
    warnings.warn(
        f"compiled code cannot be kept in {folder}: each process compiles it again, which takes seconds; "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=1,
    )
