"""Engines and queues of this build of the middleware, as they register themselves in C++."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass

from pmtwin.middleware import binding
from pmtwin.middleware.errors import our_errors
from pmtwin.sim.errors import InputError, MissingDependencyError

KEEPS = ("nothing", "in memory", "in a file")
"""Kinds of data that an engine may keep."""


@dataclass(frozen=True)
class EngineOption:
    """An option of an engine, given when it is opened.

    Args:
        name: its keyword in `open_store`. Those of several engines that mean the same are called the same: `path` is a
            file of the engine's own, `pool_bytes` its size, `live_bytes` the most that the store will hold.
        description: one line.
        kind: "text" or "number", a whole number from 0.
        required: whether it must be given.
    """

    name: str
    description: str
    kind: str
    required: bool


@dataclass(frozen=True)
class EngineDesign:
    """An engine of this build.

    Args:
        name: name of the engine.
        description: one line, for a user's choice.
        keeps: one of `KEEPS`.
        options: its options.
    """

    name: str
    description: str
    keeps: str
    options: tuple[EngineOption, ...]

    def takes(self, option: str) -> bool:
        """Whether the engine has an option of this name."""
        return any(known.name == option for known in self.options)

    @property
    def required(self) -> tuple[str, ...]:
        """Options without which it cannot be opened."""
        return tuple(option.name for option in self.options if option.required)


def engines() -> dict[str, EngineDesign]:
    """All engines of this build, by name.

    Raises:
        MissingDependencyError: the middleware is not built.
    """
    return {
        design["name"]: EngineDesign(**design | {"options": tuple(EngineOption(**item) for item in design["options"])})
        for design in binding.load().engines()
    }


def built_engines() -> dict[str, EngineDesign]:
    """`engines`, or none where the middleware is not there."""
    with suppress(MissingDependencyError):
        return engines()
    return {}


def queues() -> dict[str, str]:
    """Descriptions of the queues of this build, by name.

    Raises:
        MissingDependencyError: the middleware is not built.
    """
    return binding.load().queues()


def open_store(engine: str, folder=None, **options: str | int):
    """A store of the native module, by the name of its engine and with these of its options.

    Args:
        folder: of `scratch_folder`, which is gone with the store.

    Raises:
        MissingDependencyError: the middleware is not built.
        InputError: an engine that this build does not have; an option that the engine does not take, that is of another
            kind, or that is missing.
        StoreError: the store cannot be opened or made.
    """
    native = binding.load()
    for name, value in options.items():
        if not isinstance(value, str) and (type(value) is not int or not 0 <= value < 2**64):
            raise InputError(name, value, "text, or a whole number from 0")
    with our_errors():
        return native.open_store(engine, options, folder)


def scratch_folder(directory: str):
    """A folder of this process's own in a directory, for files whose names begin with `pool`: gone with the process.

    What such a process left that was killed is removed, if it is provably that: by its name, its mark and its lock.

    Returns:
        the native module's `ScratchFolder`, with `path` and `remove`

    Raises:
        MissingDependencyError: the middleware is not built.
        InputError: the directory cannot be used.
    """
    with our_errors():
        return binding.load().ScratchFolder(directory)


def remove_abandoned(directory: str) -> None:
    """Remove the scratch folders of processes that are gone, where the middleware is there; say so on standard error.

    Args:
        directory: nothing else in it is followed or opened.
    """
    with suppress(MissingDependencyError):
        for told in binding.load().remove_abandoned(directory):
            print(told, file=sys.stderr, flush=True)
