"""Options as dataclass fields: one declaration feeds the check, the command line, its help, files and the run record.

    @dataclass(frozen=True)
    class Limits(Options):
        step: int = option(4, "largest change of the setting in a window", low=1, high=32)
        path: str | None = option(None, "folder of the data", metavar="DIR")

A dataclass of options may hold others; a leaf is then reached by its own name (`step`) or by its path (`limits.step`).
"""

from __future__ import annotations

import dataclasses
import math
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pmtwin.sim.common.class_cache import cache_of_classes
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.options.types import NUMBERS, UNIONS, as_kind, described_kind, fits

NONE = "none"
"""Text of an absent value of an optional option."""


@dataclass(frozen=True)
class Option:
    """Metadata of an option besides its type and default.

    Args:
        help: a noun phrase with the unit; the default is added where it is shown.
        low, high: least and greatest number accepted.
        unit: of the number.
        choices: accepted names, or a function that gives them (called when needed).
        metavar: the value in help texts.
        group: heading under which help lists it.
        parse: (field, text) -> value, for texts that the type alone does not explain.
        written: value -> text that `parse` reads; `str` by default.
        flag: name on the command line where it is not the field's own ("--pools").
        short: a second name on the command line ("-o").
        words: how many words it takes there, as argparse writes it ("+", "*"); empty: one, or "+" for a tuple.
        separator: between the parts of a tuple in one text.
        positional: whether the command line takes it by its place.
        shown: whether the command line offers it (`--set` and files reach every option).
        open: whether it is a mapping whose keys are options themselves, `choices` their names (`--set KEY=VALUE`).
        excludes: names of options beside which it would be without effect, and so is refused on the command line.
        recorded: whether a run's record keeps it: not where a result does not hang on it (an output file).
        formerly: its name in earlier versions, which is refused with the name of today.
    """

    help: str = ""
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    choices: Sequence[str] | Callable[[], Iterable[str]] = ()
    metavar: str | None = None
    group: str = ""
    parse: Callable[[str, str], Any] | None = None
    written: Callable[[Any], str] | None = None
    flag: str | None = None
    short: str | None = None
    words: str = ""
    separator: str = ","
    positional: bool = False
    shown: bool = True
    open: bool = False
    excludes: tuple[str, ...] = ()
    recorded: bool = True
    formerly: str = ""

    def names(self) -> tuple[str, ...]:
        """The accepted names; empty where any value will do."""
        return tuple(self.choices() if callable(self.choices) else self.choices)


def option(default: Any = MISSING, help: str = "", *, default_factory: Any = MISSING, **about: Any) -> Any:
    """A dataclass field that is an option; `about`: fields of `Option`."""
    metadata = {"option": Option(help=help, **about)}
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def option_again(options: type, name: str, default: Any = MISSING, words: str = "") -> Any:
    """An option of another dataclass, for one that is derived from it.

    Args:
        default: where it is another one. words: end of the help.
    """
    inherited = next(each for each in dataclasses.fields(options) if each.name == name)
    about = inherited.metadata["option"]
    default = inherited.default if default is MISSING else default
    return field(default=default, metadata={"option": dataclasses.replace(about, help=f"{about.help}{words}")})


class Leaf(NamedTuple):
    """An option of a dataclass of options, perhaps in a nested one.

    Fields:
        path: names of the fields that lead to it.
        kind: its type without None.
        optional: whether None is accepted.
        default: MISSING where it must be given.
        about: its metadata.
    """

    path: tuple[str, ...]
    kind: Any
    optional: bool
    default: Any
    about: Option

    @property
    def name(self) -> str:
        """Name of the option."""
        return self.path[-1]


class Options:
    """Base of dataclasses of options: checks numbers, names and nested options when an object is made.

    Raises:
        InputError: naming the field that is not accepted.
    """

    alternative: ClassVar[bool] = False
    """Whether it is a group beside others of which one is used: their options may have the same names."""

    title: ClassVar[str] = ""
    """Heading under which help lists the options that name no group of their own."""

    def __deepcopy__(self, memo: dict) -> Any:
        return self  # nothing changes it

    def __post_init__(self):
        for each in own_fields(type(self)):
            value = getattr(self, each.name)
            nested = nested_options(each.kind)
            if nested is None:
                check_value(each, value)
            elif not (isinstance(value, nested) or (value is None and each.optional)):
                raise InputError(each.name, value, f"a {nested.__name__}")


@dataclass(frozen=True)
class NoOptions(Options):
    """Options of what has none."""


@cache_of_classes
def own_fields(cls: type) -> tuple[Leaf, ...]:
    """The fields of a dataclass that are options, or hold options, in their order."""
    hints, declared = typing.get_type_hints(cls), []
    for each in dataclasses.fields(cls):
        kind, optional = _without_none(hints[each.name])
        about = each.metadata.get("option")
        if about is None and nested_options(kind) is None:
            continue
        default = each.default
        if each.default_factory is not MISSING:
            default = None if nested_options(kind) else each.default_factory()  # a whole group may be costly to make
        declared.append(Leaf((each.name,), kind, optional, default, about or Option()))
    return tuple(declared)


@cache_of_classes
def leaves(cls: type) -> tuple[Leaf, ...]:
    """All options of a dataclass, including nested dataclasses; every name once, but in alternative groups.

    Raises:
        TypeError: if two options have the same name (a programming error).
    """
    result: list[Leaf] = []
    for each in own_fields(cls):
        nested = nested_options(each.kind)
        if nested is None:
            result.append(each)
        else:
            result += [_below(each, nested.title, leaf) for leaf in leaves(nested)]
    alternatives = {each.name for each in own_fields(cls) if getattr(nested_options(each.kind), "alternative", False)}
    names = [leaf.name for leaf in result if leaf.path[0] not in alternatives]
    others = {leaf.name for leaf in result if leaf.path[0] in alternatives}
    twice = sorted({name for name in names if names.count(name) > 1 or name in others})
    if twice:
        raise TypeError(f"{cls.__name__} has several options named {', '.join(twice)}")
    return tuple(result)


def _below(outer: Leaf, title: str, leaf: Leaf) -> Leaf:
    """An option of a nested dataclass as one of the outer dataclass."""
    about = dataclasses.replace(leaf.about, group=leaf.about.group or title)
    return leaf._replace(path=outer.path + leaf.path, about=about)


def nested_options(kind: Any) -> type[Options] | None:
    """The dataclass of options that a field of this type holds; None for a plain value."""
    return kind if isinstance(kind, type) and issubclass(kind, Options) else None


RENAMED = "has another name now"


def build(cls: type, values: Mapping[str, Any], **others: Any) -> Any:
    """An object of a dataclass of options.

    Args:
        values: name or dotted path of an option -> its value; or name of a nested dataclass -> an object of it, or a
            mapping of its fields.
        others: fields of the dataclass that are no options.

    Raises:
        InputError: for an unknown name, a nested value given whole and in part, or a value that is not accepted.
    """
    known = {leaf.name: leaf.path for leaf in leaves(cls)} | {".".join(leaf.path): leaf.path for leaf in leaves(cls)}
    known |= groups(cls)
    given: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if name in known:
            first, *rest = known[name]
            if rest:
                parts.setdefault(first, {})[".".join(rest)] = value
            else:
                given[first] = value
        else:
            today = next((leaf.name for leaf in leaves(cls) if leaf.about.formerly == name), None)
            if today is not None:
                raise InputError("options", name, today, wrong=RENAMED)
            raise unknown_name("options", name, known.keys() - {n for n in known if "." in n})
    for each in own_fields(cls):
        inner = parts.get(each.name)
        if inner is not None:
            if each.name in given:
                raise InputError(each.name, sorted(inner), f"either {each.name} or its options, not both")
            given[each.name] = build(each.kind, inner)  # a dataclass of options, as it has some
        elif isinstance(given.get(each.name), Mapping) and (nested := nested_options(each.kind)):
            given[each.name] = _from_mapping(each.name, nested, given[each.name])
        elif each.name in given:
            given[each.name] = as_kind(each.kind, given[each.name])
    missing = [each.name for each in own_fields(cls) if each.default is MISSING and each.name not in given]
    if missing:
        raise InputError(missing[0], None, field_of(cls, missing[0]).about.help or "a value")
    return cls(**given, **others)


def _from_mapping(field_name: str, cls: type, values: Mapping[str, Any]) -> Any:
    """An object of `cls` from values of its own fields, and of these alone; what it nests is given as objects."""
    known = {each.name: each for each in own_fields(cls)}
    for name, value in values.items():
        if name not in known:
            raise unknown_name(field_name, name, known)
        nested = nested_options(known[name].kind)
        if nested is not None and isinstance(value, Mapping):
            raise InputError(name, value, f"a {nested.__name__}")
    return build(cls, values)


@cache_of_classes
def groups(cls: type) -> dict[str, tuple[str, ...]]:
    """Nested dataclasses of options: name of the field -> names of the fields that lead to it."""
    result = {}
    for each in own_fields(cls):
        nested = nested_options(each.kind)
        if nested is not None:
            result[each.name] = each.path
            result |= {name: each.path + path for name, path in groups(nested).items()}
    return result


def field_of(cls: type, name: str) -> Leaf:
    """The field of that name."""
    return next(each for each in own_fields(cls) if each.name == name)


def plain(options: Any) -> dict[str, Any]:
    """All options with their values in JSON's types, nested as the dataclasses are: the form of a run record."""
    return {
        each.name: plain(value) if isinstance(value := getattr(options, each.name), Options) else _plain(value)
        for each in own_fields(type(options))
    }


def check_value(leaf: Leaf, value: Any) -> None:
    """Raise `InputError` unless the option accepts the value: its type, range and names."""
    if value is None and leaf.optional:
        return
    about, name = leaf.about, leaf.name
    if typing.get_origin(leaf.kind) is Mapping and isinstance(value, Mapping):
        inner = leaf._replace(kind=typing.get_args(leaf.kind)[1], optional=False, about=Option())
        for key, each in value.items():
            check_value(inner._replace(path=(str(key),)), each)
    elif not fits(leaf.kind, value):
        raise InputError(name, value, f"{described_kind(leaf.kind)}{f', or {NONE}' if leaf.optional else ''}")
    if leaf.kind in NUMBERS:
        if (about.low, about.high) != (-math.inf, math.inf):
            check_range(name, value, about.low, about.high, about.unit)
        if not abs(value) <= sys.float_info.max:
            raise InputError(name, value, f"{NUMBERS[leaf.kind]} that is finite")
    if about.choices:
        several = about.open or typing.get_origin(leaf.kind) is tuple
        for each in value if several else (value,):
            if each not in about.names():
                raise unknown_name(name, each, about.names())


def _without_none(kind: Any) -> tuple[Any, bool]:
    """A type and whether None may stand in its place: `int | None` -> (int, True)."""
    if typing.get_origin(kind) in UNIONS:
        kinds = [each for each in typing.get_args(kind) if each is not type(None)]
        optional = len(kinds) < len(typing.get_args(kind))
        return (kinds[0] if len(kinds) == 1 else typing.Union[tuple(kinds)]), optional  # noqa: UP007 - built at run time
    return kind, False


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    return value.tolist() if hasattr(value, "tolist") else value
