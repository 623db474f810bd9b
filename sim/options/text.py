"""Values of options as text, on the command line, in specs and in printed commands."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any

from pmtwin.sim.errors import InputError
from pmtwin.sim.options.declared import NONE, Leaf
from pmtwin.sim.options.types import NUMBERS, TRUTH


def parse_value(leaf: Leaf, text: str, field_name: str | None = None) -> Any:
    """The value of a text, by the option's type.

    Args:
        field_name: name of the option in errors; its own by default.

    Raises:
        InputError: the text has another form. Ranges and names are checked when the object is made.
    """
    field_name = field_name or leaf.name
    if leaf.optional and text == NONE:
        return None
    if leaf.about.parse is not None:
        return leaf.about.parse(field_name, text)
    kind, parameters = typing.get_origin(leaf.kind) or leaf.kind, typing.get_args(leaf.kind)
    if kind is tuple:
        inner = leaf._replace(kind=parameters[0], optional=False)
        return tuple(parse_value(inner, part, field_name) for part in text.split(leaf.about.separator))
    if kind is bool:
        if text.lower() in TRUTH:
            return TRUTH[text.lower()]
        raise InputError(field_name, text, "true or false")
    if kind in NUMBERS:
        try:
            return kind(text)
        except ValueError:
            raise InputError(field_name, text, NUMBERS[kind] + (f", or {NONE}" if leaf.optional else "")) from None
    return kind(text) if kind in (str, Path) else text


def written_value(leaf: Leaf, value: Any) -> str:
    """A value as text that `parse_value` reads."""
    if value is None:
        return NONE
    if leaf.about.written is not None:
        return leaf.about.written(value)
    if isinstance(value, tuple):
        return leaf.about.separator.join(map(str, value))
    if isinstance(value, float):
        return short if float(short := f"{value:g}") == value else repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
