"""Values that a user gave, with their origins, for errors."""

from __future__ import annotations

from typing import Any, NamedTuple

from pmtwin.config.keys import Key


class Origin(NamedTuple):
    """Origin of a value.

    Fields:
        name: the user's name for the option: `--seeds`, `--set seeds`, or the key of a file.
        where: the file; None without one.
    """

    name: str
    where: str | None = None


class Given(NamedTuple):
    """A value that a user gave, with its option and its origin."""

    key: Key
    value: Any
    origin: Origin


def add(values: dict[tuple, Given], key: Key, value: Any, origin: Origin) -> None:
    """Add a value under the id of its key."""
    values[key.id] = Given(key, value, origin)
