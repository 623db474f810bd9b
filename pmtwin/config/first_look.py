"""First look at a command line: values by name, before the options are known."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pmtwin.config.files import read_config


def first_look(words: Sequence[str]) -> dict[str, Any]:
    """Name of a given option -> its last value; a text unless it comes from a file.

    Args:
        words: words after the command.

    Raises:
        InputError: for a file of `--config` that cannot be read.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", nargs="?")
    parser.add_argument("--set", nargs="?", action="append", default=[])
    args, others = parser.parse_known_args(list(words))
    values = dict(_entries(read_config(Path(args.config)).values)) if args.config else {}
    for assignment in filter(None, args.set):
        name, _, value = assignment.partition("=")
        values[name.rpartition(".")[2].replace("-", "_")] = value
    for word, next_word in zip_longest(others, others[1:], fillvalue=""):
        if word.startswith("--"):
            name, equals, value = word.removeprefix("--").partition("=")
            values[name.removeprefix("no-").replace("-", "_")] = value if equals else next_word
    return values


def _entries(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(name, value) of all entries with a value, also within tables."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _entries(value)
        elif value is not None:
            yield name.rpartition(".")[2].replace("-", "_"), value
