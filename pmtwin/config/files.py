"""Configurations in files: TOML that a user wrote, or the JSON of an earlier result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

from pmtwin.config.keys import Keys
from pmtwin.config.values import Given, Origin, add
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.table_file import read_table
from pmtwin.sim.options import Leaf
from pmtwin.sim.options.text import parse_value
from pmtwin.sim.options.types import as_kind, fits

FORM = "a TOML file, or the JSON of an earlier result"


class ConfigFile(NamedTuple):
    """What a file says.

    Fields:
        path: of the file; None for keyword arguments.
        command: for which it was written; None where it does not say.
        scenario: its spec; None where it does not say.
        values: key -> value, with tables within tables.
    """

    path: str | None
    command: str | None
    scenario: str | None
    values: dict[str, Any]


def read_config(path: Path) -> ConfigFile:
    """The file's content.

    Raises:
        InputError: it cannot be read, is neither TOML nor a result with its arguments, or names no scenario by text.
    """
    content = read_table(path, "--config", FORM)
    if "configuration" in content:
        inner = content["configuration"]
        arguments = inner.get("arguments") if isinstance(inner, dict) else None
        if not isinstance(arguments, dict):
            raise InputError("--config", str(path), "a result with configuration.arguments (written since version 0.2)")
        content = arguments
    values = dict(content)
    command, scenario = values.pop("command", None), values.pop("scenario", None)
    for name, value in (("command", command), ("scenario", scenario)):
        if not (value is None or isinstance(value, str)):
            raise InputError(name, value, "a text", str(path))
    return ConfigFile(str(path), command, scenario, values)


def file_values(file: ConfigFile, keys: Keys) -> dict[tuple, Given]:
    """What the file gives, by the id of the key.

    Raises:
        InputError: naming the file and all keys that the command does not have, or one that is given twice.
    """
    if file.command not in (None, keys.config.command):
        allowed = f"a file for pmtwin {keys.config.command}"
        raise InputError("command", file.command, allowed, file.path, wrong="is another command")
    values: dict[tuple, Given] = {}
    unknown: list[InputError] = []
    for name, value in _entries(file.values, keys, ""):
        try:
            key = keys.find(name, name, file.path)
        except InputError as error:
            unknown.append(error)
            continue
        if key.id in values:
            raise InputError(name, value, f"each option once; {values[key.id].origin.name} is the same", file.path)
        if key.leaf.about.open and key.entry is None:
            raise InputError(name, value, f"a table of entries NAME = VALUE, or {name}.NAME = VALUE", file.path)
        add(values, key, from_plain(key.meant, value, name, file.path), Origin(name, file.path))
    if unknown:
        raise _unknown_keys(unknown, keys, file.path, alone=not values)
    return values


def _unknown_keys(unknown: list[InputError], keys: Keys, path: str | None, alone: bool) -> InputError:
    """What is wrong with all of them; `alone`: nothing of the file is an option, so that it may be of another kind."""
    if len(unknown) == 1:
        field, wrong, allowed = "key", f"is no option of {keys.config.command}", unknown[0].allowed
    else:
        field, wrong = "keys", f"are no options of {keys.config.command}"
        allowed = unknown[0].allowed.split(" (did")[0]
    others = [key.flag for key in keys if key.of_scenario and "FILE" in (key.leaf.about.metavar or "")]
    if alone and others and path is not None:
        allowed += f"; a file of another kind goes to {', '.join(others)}"
    return InputError(field, ", ".join(error.field for error in unknown), allowed, path, wrong)


def _entries(table: Mapping[str, Any], keys: Keys, prefix: str) -> Iterator[tuple[str, Any]]:
    """Dotted key and value of all that are no tables of options; a table that is null is left at its default."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        if not keys.holds(path):
            yield path, value
        elif isinstance(value, Mapping):
            yield from _entries(value, keys, f"{path}.")
        elif value is not None:
            yield path, value


def from_plain(leaf: Leaf, value: Any, field: str, where: str | None) -> Any:
    """A value of a file as the option's type has it; ranges and names are checked where the object is made.

    Raises:
        InputError: for a text of another form.
    """
    if leaf.kind is str and type(value) in (int, float):
        value = str(value)  # a number where a text is read, such as `threads = 8` of predict
    try:
        if value == []:
            return ()
        if isinstance(value, list) and leaf.about.parse is not None:
            if leaf.about.written is not None and fits(leaf.kind, value):
                value = leaf.about.written(as_kind(leaf.kind, value))
            else:
                value = leaf.about.separator.join(map(str, value))
        elif isinstance(value, list) and get_origin(leaf.kind) is tuple:
            inner = leaf._replace(kind=get_args(leaf.kind)[0], optional=False)
            return tuple(from_plain(inner, each, field, where) for each in value)
        readable = leaf.kind is not str or leaf.about.parse is not None
        return parse_value(leaf, value, field) if isinstance(value, str) and readable else value
    except InputError as error:
        raise error.renamed(field, where) from error
