"""Command-line arguments from dataclasses of options, and the values that a user gave for them."""

from __future__ import annotations

import argparse
import typing
from collections.abc import Mapping
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any

from pmtwin.config.keys import Key, Keys
from pmtwin.config.values import Given, Origin, add
from pmtwin.sim.errors import InputError, in_full
from pmtwin.sim.options import Leaf
from pmtwin.sim.options.text import parse_value, written_value

METAVARS = {int: "N", float: "X", Path: "FILE"}


def add_arguments(parser: argparse.ArgumentParser, keys: Keys, everything: bool = True) -> int:
    """Add every shown option of a command and its scenario; `given_values` reads those that the user gave.

    Args:
        parser: parser of the command.
        keys: options of the command and its scenario.
        everything: whether the help lists all options, or only the everyday ones.

    Returns:
        Number of options that the help leaves out.
    """
    groups: dict[str, Any] = {"": parser}
    left_out = 0
    for key in keys:
        about = key.leaf.about
        if about.shown and not about.open:
            listed = everything or key.is_everyday(keys.config, keys.scenario)
            left_out += not listed
            group = about.group if listed else ""
            if group not in groups:
                groups[group] = parser.add_argument_group(group)
            _add(groups[group], key, listed)
    parser.add_argument(
        "--set",
        dest="assignments",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="; ".join(("set any option by its name", *_open_words(keys), "repeatable")),
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="read options from a TOML file, or repeat an earlier run from its JSON result; options and --set "
        "take precedence",
    )
    return left_out


def _open_words(keys: Keys) -> list[str]:
    return [key.leaf.about.help for key in keys if key.leaf.about.open]


def _add(group: Any, key: Key, listed: bool) -> None:
    leaf, about = key.leaf, key.leaf.about
    help = help_text(leaf).replace("%", "%%") if listed else argparse.SUPPRESS
    settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": help}
    if leaf.kind is bool and not about.positional:
        group.add_argument(
            *key.flags, dest=destination(key), action="store_const", const=leaf.default is not True, **settings
        )
        return
    settings["metavar"] = about.metavar or METAVARS.get(leaf.kind, leaf.name.upper())
    words = words_taken(leaf)
    if words in ("+", "*") and not about.positional:
        settings["action"] = "extend"  # a repeated option adds values
    if words:
        settings["nargs"] = int(words) if words.isdigit() else words
    if about.positional:
        group.add_argument(destination(key), **settings | {"nargs": "*" if words else "?"})
        return
    group.add_argument(*key.flags, dest=destination(key), **settings)


def words_taken(leaf: Leaf) -> str:
    """Number of words that the option takes, as argparse's `nargs`; empty: at most one."""
    return leaf.about.words or ("+" if typing.get_origin(leaf.kind) is tuple and leaf.about.parse is None else "")


def destination(key: Key) -> str:
    """Name of an option in argparse's namespace."""
    return f"{'scenario' if key.of_scenario else 'command'}/{key.path}"


def help_text(leaf: Leaf) -> str:
    """The option's help with its default, unless the default is empty or the help states it.

    What is on by default has a flag that switches it off (`Key.flags`), and the help of that flag.
    """
    default, help = leaf.default, leaf.about.help
    if default is True:
        return f"no {help}"
    if default is MISSING:
        return f"{help} (required)"
    is_empty = default is None or default is False or default in ((), "")
    if is_empty or "(default" in help:
        return help
    has_words = isinstance(default, tuple) and words_taken(leaf)
    text = " ".join(map(str, default)) if has_words else written_value(leaf, default)
    if isinstance(default, float) and "e+" in text:
        text = in_full(default)
    return f"{help} (default: {text})".lstrip()


def given_values(args: argparse.Namespace, keys: Keys) -> dict[tuple, Given]:
    """Id of a key -> value that an option gave.

    Raises:
        InputError: for a text of another form.
    """
    values: dict[tuple, Given] = {}
    for key in keys:
        word = getattr(args, destination(key), MISSING)
        if word is MISSING or (word == [] and key.leaf.about.positional):
            continue
        name = key.flag
        add(values, key, _parsed(key.leaf, word, name), Origin(name))
    return values


def _parsed(leaf: Leaf, word: Any, name: str) -> Any:
    """The value of an option, from argparse's text, list of texts, or constant; a blank is part of its text."""
    if not isinstance(word, list):
        return parse_value(leaf, word, name) if isinstance(word, str) else word
    if leaf.about.separator == " " and leaf.about.parse is None:
        return tuple(part for text in word for part in parse_value(_with_blanks(leaf), text, name))
    return parse_value(leaf, leaf.about.separator.join(word), name) if word else ()


def _with_blanks(leaf: Leaf) -> Leaf:
    """The option with a separator other than the blank: the command line has separated its texts already."""
    return leaf._replace(about=replace(leaf.about, separator="\n"))


def assigned_values(assignments: list[str], keys: Keys) -> dict[tuple, Given]:
    """Id of a key -> value that `--set KEY=VALUE` gave.

    Raises:
        InputError: for another form, an unknown key, a key given twice, or a value that is not accepted.
    """
    values: dict[tuple, Given] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not (equals and name):
            raise InputError("--set", assignment, "KEY=VALUE")
        key = keys.find(name, "--set")
        if key.id in values:
            raise InputError("--set", assignment, f"each name once; {name} is {values[key.id].value} already")
        if key.leaf.about.open and key.entry is None:
            raise InputError("--set", assignment, f"{name}.NAME=VALUE")
        try:
            value = parse_value(key.meant, text, f"--set {name}")
        except InputError as error:
            raise InputError("--set", assignment, f"KEY=VALUE with {error.allowed}") from error
        add(values, key, value, Origin(f"--set {name}"))
    return values


def required_missing(keys: Keys, values: Mapping[tuple, Given]) -> list[str]:
    """Required options that the user has not given, under their names on the command line."""
    given = {key.leaf.name for key in keys if key.id in values}
    groups = keys.config.alternatives.items()
    return [group for group, names in groups if given.isdisjoint(names)] + [
        "/".join(filter(None, (key.leaf.about.short, key.flag)))
        for key in keys
        if key.leaf.default is MISSING and len(key.leaf.path) == 1 and key.id not in values
    ]
