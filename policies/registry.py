"""Policies by name, or from a user's module or file.

The grammar of a spec: `NAME[:OPTIONS]`, `module:Class[:OPTIONS]` (the module dotted or not), `FILE.py:Class[:OPTIONS]`;
the options are `key=value,...` (`grammar.py`).
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, overload

from pmtwin.policies.grammar import FIELD, described, form, split_points
from pmtwin.policies.specified import BETWEEN, WINDOW, Specified
from pmtwin.sim.common.standard_output import aside
from pmtwin.sim.common.user_files import load_file, place_of, split_file
from pmtwin.sim.decisions.kind import CHOICE, REPLACEMENT, PointKind
from pmtwin.sim.errors import FAILURES, InputError, fault_of, unknown_name
from pmtwin.sim.options import Options

if TYPE_CHECKING:
    from pmtwin.policies.base import Policy

_CLASSES: dict[tuple[str, str], type[Specified]] = {}
"""(kind, name) -> class. What decides between windows and what decides inside may have the same name: `random`."""

_ALIASES: dict[str, str] = {}
"""Another spelling of a name -> the name."""

_SHIPPED_INLINE = ("choices.shipped", "replacement.shipped", "replacement.learning", "replacement.foreign")

Kind: TypeAlias = str | PointKind | tuple[str | PointKind, ...] | None
"""Of policies: the name of a kind, or a kind that a scenario declares; several; None: any."""

USERS = ("FILE.py:Class", "package.module:Class")


def register(name: str, *spellings: str) -> Callable[[type[Specified]], type[Specified]]:
    """Class decorator: makes a policy known as `name`, among those of its kind.

    Args:
        name: as it is listed and written.
        spellings: others that specs may have.

    Raises:
        ValueError: if another class has the name, or the name has a colon (programming errors, not input).
    """
    if not name or ":" in name:
        raise ValueError(f"a policy's name must be non-empty and without a colon: {name!r}")

    def decorate(cls: type[Specified]) -> type[Specified]:
        known = _CLASSES.get((cls.decides.name, name))
        if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ValueError(f"policy {name!r} is registered already, by {known.__module__}.{known.__qualname__}")
        cls.name = name
        _CLASSES[cls.decides.name, name] = cls
        _ALIASES.update(dict.fromkeys(spellings, name))
        return cls

    return decorate


def policy_names(kind: str = WINDOW) -> list[str]:
    """Names of all registered policies of a kind (`Specified.decides`), sorted."""
    _import_shipped()
    return sorted(name for each, name in _CLASSES if each == kind)


def policy_kinds() -> list[str]:
    """Kinds of registered policies: `window`, then those that decide inside a simulation, sorted."""
    _import_shipped()
    return [WINDOW, *sorted({kind for kind, _ in _CLASSES} - {WINDOW})]


def is_registered(name: str) -> bool:
    """Whether a policy of any kind has that name."""
    return any((kind, _ALIASES.get(name, name)) in _CLASSES for kind in policy_kinds())


def is_users(spec: str) -> bool:
    """Whether a spec means a class of a user's, by its form, at any of its points; nothing is imported."""
    if parts := split_points(spec):
        return any(is_users(part) for _, part in parts)
    name, _, text = spec.partition(":")
    return split_file(f"{spec}:" if spec.endswith(".py") else spec) is not None or _is_module(name, text)


def policy_specs(kind: Kind = WINDOW) -> list[str]:
    """Specs that `make_policy` takes: every name of a kind with its options, and a class of a user's."""
    names = [(each.name, name) for each in _kinds(kind) for name in policy_names(each.name)]
    forms = [form(name, _CLASSES[key, name].Takes) for key, name in names]
    return [*dict.fromkeys(forms), *USERS]


@overload
def policy_class(name: str) -> type[Policy]: ...


@overload
def policy_class(name: str, kind: Kind) -> type[Specified]: ...


def policy_class(name: str, kind: Kind = WINDOW) -> type[Specified]:
    """The class that is registered as `name`, or that `module:Class` or `FILE.py:Class` names.

    Args:
        kind: that it must have, or several, of which the first with that name counts; None: any, `window` first.

    Raises:
        InputError: unknown name, with the nearest known one; a module, file or class that is not there.
    """
    return class_and_options(name, kind)[0]


def describe(name: str, kind: Kind = WINDOW) -> list[dict[str, str]]:
    """The options of a policy, one row each: `option`, `value`, `default`, `description`.

    Raises:
        InputError: as `policy_class`.
    """
    return described(policy_class(name, kind).Takes)


def class_and_options(spec: str, kind: Kind = WINDOW) -> tuple[type[Specified], str]:
    """Class that a spec names, as `policy_class`, and the text of its options."""
    _import_shipped()
    if not isinstance(spec, str) or not spec.strip():
        raise InputError(FIELD, spec, f"one of {', '.join(policy_specs(kind))}")
    spec = spec.strip()
    name, _, options = spec.partition(":")
    name = _ALIASES.get(name, name)
    for each in _kinds(kind):
        if (each.name, name) in _CLASSES:
            return _CLASSES[each.name, name], options
    file = split_file(f"{spec}:" if spec.endswith(".py") else spec)
    if file is not None:
        return _class_in(load_file(file[0], FIELD, spec), file[0], file[1], spec, kind)
    if _is_module(name, options):
        return _class_in(_imported(name, spec), name, options, spec, kind)
    for other in policy_kinds():
        if (other, name) in _CLASSES:
            raise _other_kind(spec, _CLASSES[other, name].decides, kind, ", ".join(policy_specs(kind)))
    wanted = {each.name for each in _kinds(kind)}
    known = {each for kind_of, each in _CLASSES if kind_of in wanted}
    error = unknown_name(FIELD, name, known, shown=policy_specs(kind))
    if name.isidentifier() and options[:1].isalpha():
        raise InputError(FIELD, spec, f"{error.allowed}; or module:Class, but no module {name!r} was found")
    raise error


def _kinds(kind: Kind) -> list[PointKind]:
    if isinstance(kind, PointKind):
        return [kind]
    known = {each.name: each for each in (BETWEEN, CHOICE, REPLACEMENT)} | {
        cls.decides.name: cls.decides for cls in _CLASSES.values()
    }
    wanted = policy_kinds() if kind is None else [kind] if isinstance(kind, str) else kind
    return [each if isinstance(each, PointKind) else known[each] for each in wanted]


def _other_kind(spec: str, kind: PointKind, wanted: Kind, allowed: str) -> InputError:
    """The error of a policy that decides something else than what it is asked for."""
    asked = " or ".join(each.decides for each in _kinds(wanted))
    return InputError(FIELD, spec, allowed, wrong=f"decides {kind.decides}, not {asked}")


def _is_module(name: str, text: str) -> bool:
    """Whether `name:rest` is meant as module:Class: a dotted name, or a module that is there before a class name."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    return "." in name or (text[:1].isalpha() and importlib.util.find_spec(name) is not None)


def _imported(name: str, spec: str) -> ModuleType:
    try:
        with aside():
            return importlib.import_module(name)
    except (ImportError, SyntaxError) as error:
        raise InputError(FIELD, spec, f"package.module:Class of an importable module ({error})") from error
    except FAILURES as error:
        wrong = f"fails at {place_of(error)}: {fault_of(error)}"
        raise InputError(FIELD, spec, "a module that runs", wrong=wrong) from error


def _class_in(module: ModuleType, place: str, text: str, spec: str, kind: Kind) -> tuple[type[Specified], str]:
    """Class and text of the options of `Class[:OPTIONS]` in a module."""
    name, _, options = text.partition(":")
    cls = getattr(module, name, None)
    if not _is_policy(cls):
        raise _no_policy(module, place, name, spec, _bases(_kinds(kind)))
    if not (isinstance(cls.Takes, type) and issubclass(cls.Takes, Options) and is_dataclass(cls.Takes)):
        allowed = "a class whose Takes is a dataclass derived from pmtwin.policies.Options"
        raise InputError(FIELD, spec, f"{allowed}; that of {cls.place()} is {cls.Takes!r}")
    if kind is not None and cls.decides not in _kinds(kind):
        raise _other_kind(spec, cls.decides, kind, f"a subclass of {_bases(_kinds(kind))}")
    if not cls.__module__.startswith("pmtwin.policies."):
        cls.name = f"{place}:{name}"  # whatever it calls itself: this is what finds it in another process
    return cls, options


def _is_policy(value: object) -> TypeGuard[type[Specified]]:
    return isinstance(value, type) and issubclass(value, Specified) and value.decides is not None


def _bases(kinds: Iterable[PointKind]) -> str:
    """The classes that users' policies of these kinds derive from."""
    return " or ".join(kind.base for kind in kinds)


def _no_policy(module: ModuleType, place: str, name: str, spec: str, bases: str) -> InputError:
    """The error of a name that is no policy of a module: names those that the module defines, and the nearest one."""
    class_names = [key for key, cls in vars(module).items() if _is_policy(cls) and cls.__module__ == module.__name__]
    if not class_names:
        return InputError(FIELD, spec, f"{' or '.join(USERS)} with a subclass of {bases} in {place}")
    if not name:
        return InputError(FIELD, spec, ", ".join(f"{place}:{each}" for each in class_names), wrong="names no class")
    allowed = f"a subclass of {bases}: {unknown_name(FIELD, name, class_names).allowed}"
    return InputError(FIELD, spec, allowed, wrong=f"names no policy in {place}")


@cache
def _import_shipped() -> None:
    """Import the files of this folder, each of which may register a policy: when a name is first looked up."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.ispkg:
            importlib.import_module(f"{__package__}.{module.name}")
    for name in _SHIPPED_INLINE:
        importlib.import_module(f"{__package__}.{name}")
