"""Configuration files: TOML of a user, or the JSON result of an earlier run."""

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
    """Content of a configuration file.

    Fields:
        path: path of the file; None for keyword arguments.
        command: command that the file is for; None if it names none.
        scenario: spec of the scenario; None if it names none.
        values: key -> value; tables may contain tables.
    """

    path: str | None
    command: str | None
    scenario: str | None
    values: dict[str, Any]


def read_config(path: Path) -> ConfigFile:
    """Read a configuration file.

    Raises:
        InputError: if the file cannot be read, is neither TOML nor a result with its arguments, or its command or
            scenario is no text.
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
    """Id of a key -> value in the file.

    Raises:
        InputError: for keys that are no options of the command, with all of them; for an option given twice; for a file
            of another command.
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
    """The error for all unknown keys; alone: whether no key of the file is known, so that it may be of another kind."""
    if len(unknown) == 1:
        field, wrong, allowed = "key", f"is no option of {keys.config.command}", unknown[0].allowed
    else:
        field, wrong = "keys", f"are no options of {keys.config.command}"
        allowed = unknown[0].allowed.split(" (did")[0]
    file_options = [key.flag for key in keys if key.of_scenario and "FILE" in (key.leaf.about.metavar or "")]
    if alone and file_options and path is not None:
        allowed += f"; a file of another kind goes to {', '.join(file_options)}"
    return InputError(field, ", ".join(error.field for error in unknown), allowed, path, wrong)


def _entries(table: Mapping[str, Any], keys: Keys, prefix: str) -> Iterator[tuple[str, Any]]:
    """(dotted key, value) of all entries, also within tables of options; a table that is null keeps its defaults."""
    for name, value in table.items():
        path = f"{prefix}{name}"
        if not keys.holds(path):
            yield path, value
        elif isinstance(value, Mapping):
            yield from _entries(value, keys, f"{path}.")
        elif value is not None:
            yield path, value


def from_plain(leaf: Leaf, value: Any, field: str, where: str | None) -> Any:
    """A value of a file, converted to the option's type; ranges and names are checked later.

    Raises:
        InputError: for a text of another form.
    """
    if leaf.kind is str and type(value) in (int, float):
        value = str(value)  # a number for an option with text, such as `threads = 8` of predict
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
            return tuple(from_plain(inner, entry, field, where) for entry in value)
        is_parsed = leaf.kind is not str or leaf.about.parse is not None
        return parse_value(leaf, value, field) if isinstance(value, str) and is_parsed else value
    except InputError as error:
        raise error.renamed(field, where) from error
