"""Values that were given, each with where: what an error names."""

from __future__ import annotations

from typing import Any, NamedTuple

from pmtwin.config.keys import Key


class Origin(NamedTuple):
    """Where a value was given.

    Fields:
        name: as the user wrote it: `--seeds`, `--set seeds`, or the key of a file.
        where: the file.
    """

    name: str
    where: str | None = None


class Given(NamedTuple):
    """A value and where it was given."""

    key: Key
    value: Any
    origin: Origin


def add(values: dict[tuple, Given], key: Key, value: Any, origin: Origin) -> None:
    """Keep a value under the id of its key."""
    values[key.id] = Given(key, value, origin)
