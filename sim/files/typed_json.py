"""Conversion of JSON to typed structures; errors name the field, its value and the allowed values."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from typing import Annotated, Any, TypeVar

import msgspec
import msgspec.inspect
from msgspec import Meta

from pmtwin.sim.errors import InputError, unknown_name

Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
NotNegative = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
Positive = Annotated[float, Meta(gt=0, le=sys.float_info.max)]
Probability = Annotated[float, Meta(ge=0, lt=1)]
"""A probability below 1, since log(1 - p) is infinite at 1."""

Form = TypeVar("Form")
_ANY_KEY = "..."
_KINDS = {"float": "a finite number", "int": "a whole number", "str": "text", "bool": "true or false"}
_KINDS |= {"array": "a list", "object": "an object", "null": "null"}
_BOUNDS = {">=": "of at least", ">": "above", "<=": "of at most", "<": "below", "of length": "of length"}
_EXPECTED = re.compile(r"Expected `(?P<kinds>[^`]+)`(?: (?P<bound>>=|<=|>|<|of length) (?P<limit>\S+?))?(?:, got .*)?")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")


def typed(field: str, value: object, form: type[Form], where: str | None, within: str | None = None) -> Form:
    """A JSON value converted to a type.

    Args:
        field: name of the value, for errors.
        value: the value, in the types of `json`.
        form: a `msgspec.Struct`, or a container of such. A struct can refuse a value of the right types: its
            `__post_init__` raises `InputError` with the name of one of its fields, or "" for the whole struct.
        where: name of the file, for errors.
        within: prefix for names of fields inside the value; `field` by default.

    Raises:
        InputError: names the first wrong field, its value, and the allowed values.
    """
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        path = _path(value, form, error)
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        prefix = field if within is None else within
        known = _known_keys(msgspec.inspect.type_info(form), path)
        name = (steps and f"{prefix}{steps}".lstrip(".")) or field
        raise _input_error(error, name, _at(value, path), where, known) from None


def _input_error(
    error: msgspec.ValidationError, field: str, value: object, where: str | None, known: Collection[str]
) -> InputError:
    text = str(error).split(" - at ")[0]
    if isinstance(cause := error.__cause__, InputError):
        return cause.renamed(f"{field}.{cause.field}" if cause.field else field, where)
    if missing := _MISSING.fullmatch(text):
        return lacking(field, missing[1], where)
    if expected := _EXPECTED.fullmatch(text):
        allowed = " or ".join(_KINDS.get(kind, kind) for kind in expected["kinds"].split(" | "))
        if expected["bound"] and abs(float(expected["limit"])) < sys.float_info.max:
            allowed += f" {_BOUNDS[expected['bound']]} {float(expected['limit']):g}"
        return InputError(field, value, allowed, where)
    if unknown := _UNKNOWN.fullmatch(text):
        return unknown_name(f"{field}: key", unknown[1], known, where)
    return InputError(field, value, text[:1].lower() + text[1:], where)


def _known_keys(kind: msgspec.inspect.Type, path: list[str | int]) -> list[str]:
    """The keys of the object at a path inside a type; of the first object for a union."""
    for member in getattr(kind, "types", ()):  # of a union
        if keys := _known_keys(member, path):
            return keys
    fields = {field.encode_name: field.type for field in getattr(kind, "fields", ())}
    if not path:
        return list(fields)
    inner = fields.get(path[0]) or getattr(kind, "item_type", None) or getattr(kind, "value_type", None)
    return _known_keys(inner, path[1:]) if inner is not None else []


def _path(value: object, form: Any, error: msgspec.ValidationError) -> list[str | int]:
    """Keys and indices from `value` to the error. The message has `...` for a key of an object without fixed fields."""
    text = str(error).split(" - at ")
    steps = re.findall(r"\[(\d+|\.\.\.)\]|\.([^.\[`]+)", text[1].split("`$", 1)[1]) if len(text) > 1 else []
    path: list[str | int] = []
    for index, name in steps:
        if index != _ANY_KEY:
            path.append(int(index) if index else name)
            continue
        for key, item in _at(value, path).items():
            if _fails(_with_only(value, path, key, item), form):
                path.append(key)
                break
    return path


def _fails(value: object, form: Any) -> bool:
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError:
        return True
    return False


def _with_only(value: Any, path: list[str | int], key: str, item: object) -> object:
    """A copy of `value` whose object at `path` has only the entry `key`."""
    if not path:
        return {key: item}
    changed = value.copy()
    changed[path[0]] = _with_only(value[path[0]], path[1:], key, item)
    return changed


def _at(value: Any, path: list[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def lacking(field: str, key: str, where: str | None = None) -> InputError:
    """An error for an object that has no `key`."""
    return InputError(f"{field}.{key}", None, "this kind of file needs it", where)


def check_name(field: str, name: str, known: Collection[str], where: str | None = None) -> None:
    """Raise `InputError` unless `name` is among `known`."""
    if name not in known:
        raise unknown_name(field, name, known, where)
