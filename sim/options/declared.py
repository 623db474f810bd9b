"""Options as dataclass fields: one declaration feeds the check, the command line, its help, files and the run record.

    @dataclass(frozen=True)
    class Limits(Options):
        step: int = option(4, "largest change of the setting in a window", low=1, high=32)
        path: str | None = option(None, "folder of the data", metavar="DIR")

A dataclass of options may nest others; `build` takes a nested option by its name (`step`) or its path (`limits.step`).
"""

from __future__ import annotations

import dataclasses
import math
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
        help: a noun phrase with the unit; help adds the default. The flag that switches off what is on by default puts
            "no" before it.
        low, high: least and greatest accepted number.
        unit: unit of the number.
        choices: accepted names, or a function that returns them and is called when needed.
        metavar: placeholder of the value in help.
        group: heading under which help lists the option.
        parse: (field, text) -> value, for a text that the type alone does not explain.
        written: value -> text that `parse` reads; `str` by default.
        flag: name on the command line ("--pools"); None: made from the name of the field.
        short: a second name on the command line ("-o").
        words: number of words on the command line, in argparse's notation ("+", "*"); empty: one, or "+" for a tuple.
        separator: text between the parts of a tuple in one word.
        positional: whether it is a positional argument.
        shown: whether the command line offers it; `--set` and files take every option.
        open: whether it is a mapping whose keys are options, named by `choices` (`--set KEY=VALUE`).
        excludes: names of options that make this one useless; the command line refuses it together with them.
        recorded: whether a run's record keeps it; an option that cannot change the result, such as an output file, is
            not kept.
        formerly: name in earlier versions; it is refused with a hint to the present name.
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
        """The accepted names; empty if any value is accepted."""
        return tuple(self.choices() if callable(self.choices) else self.choices)


def option(default: Any = MISSING, help: str = "", *, default_factory: Any = MISSING, **about: Any) -> Any:
    """A dataclass field that is an option; `about`: further fields of `Option`."""
    metadata = {"option": Option(help=help, **about)}
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def option_again(options: type, name: str, default: Any = MISSING, words: str = "") -> Any:
    """An option of a dataclass, declared again with changes in a derived one.

    Args:
        options: the base dataclass. name: of the option.
        default: a new default; MISSING: the inherited one. words: text to append to the help.
    """
    inherited = next(declared for declared in dataclasses.fields(options) if declared.name == name)
    about = inherited.metadata["option"]
    default = inherited.default if default is MISSING else default
    return field(default=default, metadata={"option": dataclasses.replace(about, help=f"{about.help}{words}")})


class Leaf(NamedTuple):
    """An option of a dataclass of options or of a nested one.

    Fields:
        path: names of the fields that lead to the option, its own last.
        kind: type, without None.
        optional: whether None is accepted.
        default: MISSING if a value is required.
        about: metadata.
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
    """Base of dataclasses of options: checks types, ranges, names and nested options when an object is made.

    Raises:
        InputError: a value is not accepted.
    """

    alternative: ClassVar[bool] = False
    """Whether this is one of several groups of which a run uses one; options of such groups may have the same names."""

    title: ClassVar[str] = ""
    """Heading under which help lists the options without a `group`."""

    def __deepcopy__(self, memo: dict) -> Any:
        return self  # immutable

    def __post_init__(self):
        for leaf in own_fields(type(self)):
            value = getattr(self, leaf.name)
            nested = nested_options(leaf.kind)
            if nested is None:
                check_value(leaf, value)
            elif not (isinstance(value, nested) or (value is None and leaf.optional)):
                raise InputError(leaf.name, value, f"a {nested.__name__}")


@dataclass(frozen=True)
class NoOptions(Options):
    """A dataclass without options."""


@cache_of_classes
def own_fields(cls: type) -> tuple[Leaf, ...]:
    """The fields of a dataclass that are options or dataclasses of options, in their order."""
    hints, result = typing.get_type_hints(cls), []
    for declared in dataclasses.fields(cls):
        kind, optional = _without_none(hints[declared.name])
        about = declared.metadata.get("option")
        if about is None and nested_options(kind) is None:
            continue
        default = declared.default
        if declared.default_factory is not MISSING:
            default = None if nested_options(kind) else declared.default_factory()  # a group may be costly to make
        result.append(Leaf((declared.name,), kind, optional, default, about or Option()))
    return tuple(result)


@cache_of_classes
def leaves(cls: type) -> tuple[Leaf, ...]:
    """All options of a dataclass and of the dataclasses that it nests.

    Raises:
        TypeError: two options outside of alternative groups have the same name (a programming error).
    """
    result: list[Leaf] = []
    for outer in own_fields(cls):
        nested = nested_options(outer.kind)
        if nested is None:
            result.append(outer)
        else:
            result += [_below(outer, nested.title, leaf) for leaf in leaves(nested)]
    group_names = {outer.name for outer in own_fields(cls) if getattr(nested_options(outer.kind), "alternative", False)}
    names = [leaf.name for leaf in result if leaf.path[0] not in group_names]
    names_in_groups = {leaf.name for leaf in result if leaf.path[0] in group_names}
    duplicates = sorted({name for name in names if names.count(name) > 1 or name in names_in_groups})
    if duplicates:
        raise TypeError(f"{cls.__name__} has several options named {', '.join(duplicates)}")
    return tuple(result)


def _below(outer: Leaf, title: str, leaf: Leaf) -> Leaf:
    """An option of a nested dataclass as an option of the outer dataclass."""
    about = dataclasses.replace(leaf.about, group=leaf.about.group or title)
    return leaf._replace(path=outer.path + leaf.path, about=about)


def nested_options(kind: Any) -> type[Options] | None:
    """The type itself if it is a dataclass of options, else None."""
    return kind if isinstance(kind, type) and issubclass(kind, Options) else None


RENAMED = "has another name now"


def build(cls: type, values: Mapping[str, Any], **plain_fields: Any) -> Any:
    """An object of a dataclass of options.

    Args:
        values: name or dotted path of an option -> its value; or name of a nested dataclass -> an object of it, or a
            mapping of its fields.
        plain_fields: fields of the dataclass that are no options.

    Raises:
        InputError: an unknown name, a missing or unacceptable value, or a nested dataclass given both whole and by
            options.
    """
    known = {leaf.name: leaf.path for leaf in leaves(cls)} | {".".join(leaf.path): leaf.path for leaf in leaves(cls)}
    known |= groups(cls)
    fields: dict[str, Any] = {}
    nested_values: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if name in known:
            field_name, *path = known[name]
            if path:
                nested_values.setdefault(field_name, {})[".".join(path)] = value
            else:
                fields[field_name] = value
        else:
            present_name = next((leaf.name for leaf in leaves(cls) if leaf.about.formerly == name), None)
            if present_name is not None:
                raise InputError("options", name, present_name, wrong=RENAMED)
            raise unknown_name("options", name, known.keys() - {n for n in known if "." in n})
    for leaf in own_fields(cls):
        inner = nested_values.get(leaf.name)
        if inner is not None:
            if leaf.name in fields:
                raise InputError(leaf.name, sorted(inner), f"either {leaf.name} or its options, not both")
            fields[leaf.name] = build(leaf.kind, inner)
        elif isinstance(fields.get(leaf.name), Mapping) and (nested := nested_options(leaf.kind)):
            fields[leaf.name] = _from_mapping(leaf.name, nested, fields[leaf.name])
        elif leaf.name in fields:
            fields[leaf.name] = as_kind(leaf.kind, fields[leaf.name])
    missing = [leaf.name for leaf in own_fields(cls) if leaf.default is MISSING and leaf.name not in fields]
    if missing:
        raise InputError(missing[0], None, field_of(cls, missing[0]).about.help or "a value")
    return cls(**fields, **plain_fields)


def _from_mapping(field_name: str, cls: type, values: Mapping[str, Any]) -> Any:
    """An object of `cls` from values of its fields; dataclasses that it nests are given as objects."""
    known = {leaf.name: leaf for leaf in own_fields(cls)}
    for name, value in values.items():
        if name not in known:
            raise unknown_name(field_name, name, known)
        nested = nested_options(known[name].kind)
        if nested is not None and isinstance(value, Mapping):
            raise InputError(name, value, f"a {nested.__name__}")
    return build(cls, values)


@cache_of_classes
def groups(cls: type) -> dict[str, tuple[str, ...]]:
    """Nested dataclasses of options, at any depth: name of the field -> names of the fields that lead to it."""
    result = {}
    for leaf in own_fields(cls):
        nested = nested_options(leaf.kind)
        if nested is not None:
            result[leaf.name] = leaf.path
            result |= {name: leaf.path + path for name, path in groups(nested).items()}
    return result


def field_of(cls: type, name: str) -> Leaf:
    """The field with this name."""
    return next(leaf for leaf in own_fields(cls) if leaf.name == name)


def plain(options: Any, without: Collection[str] = ()) -> dict[str, Any]:
    """All options with their values in JSON's types, nested as the dataclasses are: the form of a run record.

    Args:
        without: names of options that are left out, at any depth.
    """
    return {
        leaf.name: plain(value, without) if isinstance(value := getattr(options, leaf.name), Options) else _plain(value)
        for leaf in own_fields(type(options))
        if leaf.name not in without
    }


def check_value(leaf: Leaf, value: Any) -> None:
    """Raise `InputError` unless the value has the option's type, range and names."""
    if value is None and leaf.optional:
        return
    about, name = leaf.about, leaf.name
    if typing.get_origin(leaf.kind) is Mapping and isinstance(value, Mapping):
        inner = leaf._replace(kind=typing.get_args(leaf.kind)[1], optional=False, about=Option())
        for key, item in value.items():
            check_value(inner._replace(path=(str(key),)), item)
    elif not fits(leaf.kind, value):
        raise InputError(name, value, f"{described_kind(leaf.kind)}{f', or {NONE}' if leaf.optional else ''}")
    if leaf.kind in NUMBERS:
        if (about.low, about.high) != (-math.inf, math.inf):
            check_range(name, value, about.low, about.high, about.unit)
        if not abs(value) <= sys.float_info.max:
            raise InputError(name, value, f"{NUMBERS[leaf.kind]} that is finite")
    if about.choices:
        several = about.open or typing.get_origin(leaf.kind) is tuple
        for choice in value if several else (value,):
            if choice not in about.names():
                raise unknown_name(name, choice, about.names())


def _without_none(kind: Any) -> tuple[Any, bool]:
    """(type without None, whether it accepted None): `int | None` -> (int, True)."""
    if typing.get_origin(kind) in UNIONS:
        kinds = [member for member in typing.get_args(kind) if member is not type(None)]
        optional = len(kinds) < len(typing.get_args(kind))
        return (kinds[0] if len(kinds) == 1 else typing.Union[tuple(kinds)]), optional  # noqa: UP007 - built at run time
    return kind, False


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    return value.tolist() if hasattr(value, "tolist") else value
