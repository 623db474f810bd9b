"""The cache of a compiled function in several folders: those of others are read, one is written.

Numba's own cache has one folder, which must be writable. Here an installation by root may hold the compiled code for
everybody, and what it lacks comes into a folder of the user's.
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
"""What a file of a cache raises that was cut short, or that belongs to somebody else."""

ASKED: set[str] = set()
"""The entries that this process looked for: functions with their types, each as one word."""

FOREIGN: list[str] = []
"""The functions that are kept for another processor only."""


class LayeredCache(FunctionCache):
    """Numba's cache of a function, over folders.

    Args:
        function: what is compiled. readable: folders to look into, in this order. written: the folder for what none of
            them has; None: nothing is kept.
    """

    def __init__(self, function, readable: Sequence[Path], written: Path | None):
        super().__init__(function)
        base, place, stamp = self._impl.filename_base, self._cache_path, self._impl.locator.get_source_stamp()
        self._cache_file = _Layers(base, [IndexDataCacheFile(str(each / place), base, stamp) for each in readable])
        self._cache_file.written = written and IndexDataCacheFile(str(written / place), base, stamp)
        self._cache_path, self._written = written and str(written / place), written

    def save_overload(self, sig, data):
        """Keep a compiled function. A folder that refuses it costs the next process the same work, and is named."""
        try:
            if self._cache_path:
                os.makedirs(self._cache_path, exist_ok=True)
            super().save_overload(sig, data)
        except (OSError, RuntimeError):  # the second: numba has the code no more, since another function took it up
            _warn(str(self._written))


class _Locator:
    """Where the code of a function lies below each folder, and what tells its version."""

    def __init__(self, file: str, line: int):
        self._py_file, self._line = file, line  # the first is numba's name

    @classmethod
    def from_function(cls, function, file: str) -> _Locator:
        return cls(file, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """`LayeredCache` does."""

    def get_cache_path(self) -> str:
        """Below our sources the same wherever they are: a folder that is moved takes its compiled code along."""
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
    """Numba's files of one function in several folders, in the place of one of them."""

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
                if any(other[0] == key[0] and other[1] != key[1] for other in file._load_index()):
                    FOREIGN.append(self._name)
            except UNREADABLE:
                continue
        return None

    def save(self, key, data) -> None:
        """Into the folder that is written, if there is one."""
        if self.written is None:
            _warn("any folder")
            return
        try:
            self.written.save(key, data)
        except OSError:
            raise
        except UNREADABLE:  # an index that was cut short
            self.written.flush()
            self.written.save(key, data)

    def flush(self) -> None:
        if self.written is not None:
            self.written.flush()


@functools.cache
def _warn(folder: str) -> None:
    """Once for each folder: numba makes Python forget which warnings were shown."""
    warnings.warn(
        f"compiled code cannot be kept in {folder}: each process compiles it anew, which takes seconds; "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=1,
    )
