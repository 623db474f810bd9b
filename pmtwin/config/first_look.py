"""What a command line gives, by name, before it is known which options there are."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pmtwin.config.files import read_config


def first_look(words: Sequence[str]) -> dict[str, Any]:
    """Name of each option that is given -> its value, as a text where it is not from a file; the last one counts.

    Args:
        words: what follows the command.

    Raises:
        InputError: for a file of `--config` that cannot be read.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", nargs="?")
    parser.add_argument("--set", nargs="?", action="append", default=[])
    known, rest = parser.parse_known_args(list(words))
    given = dict(_entries(read_config(Path(known.config)).values)) if known.config else {}
    for assignment in filter(None, known.set):
        name, _, value = assignment.partition("=")
        given[name.rpartition(".")[2].replace("-", "_")] = value
    for word, after in zip_longest(rest, rest[1:], fillvalue=""):
        if word.startswith("--"):
            name, equals, value = word.removeprefix("--").partition("=")
            given[name.removeprefix("no-").replace("-", "_")] = value if equals else after
    return given


def _entries(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name and value of all that has one, within tables too."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _entries(value)
        elif value is not None:
            yield name.rpartition(".")[2].replace("-", "_"), value
