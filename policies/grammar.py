"""Grammar of a policy's options, the same for all policies: `NAME:key=value,...`.

A value may contain commas (`setting=9,8`): a comma ends the value only before the next `key=`. The value of the first
option may stand without its key (`fixed:9,8`). Keys are written with hyphens or underscores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.options import NONE, Leaf, Options, build, leaves
from pmtwin.sim.options.text import parse_value, written_value

FIELD = "policy"
"""The field of errors about a policy."""

_NAME = "[A-Za-z][A-Za-z0-9_-]*"
_BY_POINT = re.compile(f"{_NAME}=")
_NEXT = re.compile(rf"\+({_NAME})=")
_KEY = re.compile(r"(?:^|,)([A-Za-z][A-Za-z0-9_-]*)=")


def split_points(spec: str) -> list[tuple[str, str]]:
    """(decision point, spec of its policy) for each part of a spec such as `threads=fixed:16+replacement=lru`.

    Empty for a spec that names no decision point.
    """
    if not isinstance(spec, str) or not _BY_POINT.match(spec):
        return []
    starts = [(match.start(), match.end(), match[1]) for match in _NEXT.finditer(f"+{spec}")]
    ends = [*(start for start, *_ in starts[1:]), len(spec) + 1]
    return [(point, f"+{spec}"[begin:end]) for (_, begin, point), end in zip(starts, ends, strict=True)]


def points_behind(spec: str) -> list[str]:
    """The names before each `=` that follow a plus sign, for a spec whose first part names no decision point."""
    return [match[1] for match in _NEXT.finditer(spec)]


def joined_points(parts: Mapping[str, str]) -> str:
    """The spec for several decision points; the inverse of `split_points`."""
    return "+".join(f"{point}={spec}" for point, spec in parts.items())


def parsed(name: str, takes: type[Options], text: str) -> Options:
    """Parse the options of a policy.

    Args:
        name: name of the policy, for errors.
        takes: dataclass of the options.
        text: text after the colon; empty: all defaults.

    Raises:
        InputError: for a key that is unknown or given twice, a missing option, or a value that is not accepted.
    """
    known = {leaf.name: leaf for leaf in leaves(takes)}
    if text and not known:
        raise InputError(FIELD, f"{name}:{text}", f"{name} alone; it takes no options")
    values = {}
    for key, value in _pairs(name, text, list(known)):
        if key in values:
            raise InputError(FIELD, f"{name}:{text}", f"{option_key(key)} at most once")
        values[key] = parse_value(known[key], value, f"{FIELD} {name}: {option_key(key)}")
    missing = [leaf for leaf in known.values() if leaf.default is MISSING and leaf.name not in values]
    if missing:
        raise InputError(FIELD, f"{name}:{text}" if text else name, form(name, takes))
    try:
        return build(takes, values)
    except InputError as error:
        raise error.renamed(f"{FIELD} {name}: {option_key(error.field)}") from error


def written(name: str, options: Options) -> str:
    """The spec that `parsed` reads: the name, and each option that differs from its default."""
    texts = []
    for number, leaf in enumerate(leaves(type(options))):
        value = value_of(options, leaf)
        if leaf.default is not MISSING and value == leaf.default:
            continue
        text = repr(value) if isinstance(value, float) else written_value(leaf, value)
        short = number == 0 and leaf.default is MISSING and text and not _KEY.search(text)
        texts.append(text if short else f"{option_key(leaf.name)}={text}")
    return ":".join([name, *([",".join(texts)] if texts else [])])


def form(name: str, takes: type[Options]) -> str:
    """The form that a user writes: `fixed:SETTING`, `online-q:FILE[,KEY=VALUE...]`."""
    options = leaves(takes)
    if not options:
        return name
    if options[0].default is not MISSING:
        return f"{name}[:KEY=VALUE,...]"
    return f"{name}:{metavar(options[0])}{'[,KEY=VALUE...]' if len(options) > 1 else ''}"


def is_incomplete(takes: type[Options]) -> bool:
    """Whether a spec needs more than the policy's name, because an option has no default."""
    return any(leaf.default is MISSING for leaf in leaves(takes))


def option_key(name: str) -> str:
    """The key of an option, as specs are written."""
    return name.replace("_", "-")


def metavar(leaf: Leaf) -> str:
    """Placeholder for the value of an option, as `form` shows it."""
    return leaf.about.metavar or leaf.name.upper()


def value_of(options: Options, leaf: Leaf) -> Any:
    """The value of an option, which may lie in a nested dataclass."""
    for part in leaf.path:
        options = getattr(options, part)
    return options


def described(takes: type[Options]) -> list[dict[str, str]]:
    """The options of a policy as table rows: `option`, `value`, `default`, `description`."""
    rows = []
    for leaf in leaves(takes):
        about = leaf.about
        if leaf.default is MISSING:
            default = "required"
        else:
            default = NONE if leaf.default is None else written_value(leaf, leaf.default)
        value = " | ".join(about.names()) or about.metavar or str(getattr(leaf.kind, "__name__", leaf.kind))
        rows.append({"option": option_key(leaf.name), "value": value, "default": default, "description": about.help})
    return rows


def _pairs(name: str, text: str, known: list[str]) -> list[tuple[str, str]]:
    """(name of an option, text of its value), in the order of the text."""
    if not text:
        return []
    keys = list(_KEY.finditer(text))
    for key in keys:
        if key[1].replace("-", "_") not in known:
            raise unknown_name(f"{FIELD} {name}: option", key[1], [option_key(option) for option in known])
    starts = [*(key.start() for key in keys), len(text)]
    pairs = [(known[0], text[: starts[0]])] if starts[0] > 0 else []
    for key, end in zip(keys, starts[1:], strict=True):
        pairs.append((key[1].replace("-", "_"), text[key.end() : end]))
    return pairs
