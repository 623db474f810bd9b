"""Policies by name, or from a user's module or file.

A spec is `NAME[:OPTIONS]`, `module:Class[:OPTIONS]` (the module dotted or not) or `FILE.py:Class[:OPTIONS]`, with
options `key=value,...` (`grammar.py`).
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
from typing import Any, TypeAlias, TypeGuard, overload

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.grammar import FIELD, described, form, split_points
from pmtwin.policies.specified import BETWEEN, WINDOW, Specified
from pmtwin.sim.common.standard_output import aside
from pmtwin.sim.common.user_files import files_with_class, load_file, place_of, split_file
from pmtwin.sim.decisions.kind import CHOICE, REPLACEMENT, PointKind
from pmtwin.sim.errors import FAILURES, InputError, fault_of, unknown_name
from pmtwin.sim.options import Options

_CLASSES: dict[tuple[str, str], type[Specified]] = {}
"""(kind, name) -> class. Policies of different kinds may have the same name, such as `random`."""

_ALIASES: dict[str, str] = {}
"""Alternative spelling -> registered name."""

_SHIPPED_INLINE = (
    "choices.shipped", "replacement.shipped", "replacement.learning", "replacement.foreign",
    "tiering.agents.harmonia", "tiering.agents.sibyl",
    "tiering.cde", "tiering.gain", "tiering.heat", "tiering.k_svm", "tiering.lru_clean", "tiering.one_device",
    "tiering.rnn_hss", "tiering.static_set", "tiering.stay", "tiering.thresholds", "tiering.write_lru",
)  # fmt: skip

Kind: TypeAlias = str | PointKind | tuple[str | PointKind, ...] | None
"""Kind of policies: its name, or a `PointKind` that a scenario declares; a tuple: any of several; None: any."""

USERS = ("FILE.py:Class", "package.module:Class")


def register(name: str, *spellings: str) -> Callable[[type[Specified]], type[Specified]]:
    """Class decorator: registers a policy as `name` among the policies of its kind.

    Args:
        name: name in listings and specs.
        spellings: alternative names in specs.

    Raises:
        ValueError: if another class has the name, or the name is empty or has a colon: programming errors, not input.
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
    return sorted(name for kind_name, name in _CLASSES if kind_name == kind)


def policy_kinds() -> list[str]:
    """Kinds of registered policies: `window`, then those that decide inside a simulation, sorted."""
    _import_shipped()
    return [WINDOW, *sorted({kind for kind, _ in _CLASSES} - {WINDOW})]


def is_registered(name: str) -> bool:
    """Whether a policy of any kind has this name or spelling."""
    return any((kind, _ALIASES.get(name, name)) in _CLASSES for kind in policy_kinds())


def is_users(spec: str) -> bool:
    """Whether a spec, or its part for any decision point, has the form of a user's class; imports nothing."""
    if parts := split_points(spec):
        return any(is_users(part) for _, part in parts)
    name, _, text = spec.partition(":")
    return split_file(f"{spec}:" if spec.endswith(".py") else spec) is not None or _is_module(name, text)


def policy_specs(kind: Kind = WINDOW, scenario: Any = None) -> list[str]:
    """Forms of the specs that `make_policy` takes: each name of a kind with its options, and users' classes.

    Args:
        scenario: a scenario that the policies must serve; None: any.
    """
    forms = [form(name, _CLASSES[key, name].Takes) for key, name in _serving(kind, scenario)]
    return [*dict.fromkeys(forms), *USERS]


def _serving(kind: Kind, scenario: Any) -> list[tuple[str, str]]:
    """(kind, name) of all policies of a kind that serve a scenario."""
    names = [(point_kind.name, name) for point_kind in _kinds(kind) for name in policy_names(point_kind.name)]
    return [key for key in names if _serves(_CLASSES[key], scenario)]


def _serves(cls: type[Specified], scenario: Any) -> bool:
    """Whether a policy can serve a scenario, as far as its class tells; True for a scenario's class alone."""
    if scenario is None or isinstance(scenario, type):
        return True
    try:
        cls.check_scenario(PolicyContext.of(scenario))
    except InputError:
        return False
    return True


@overload
def policy_class(name: str) -> type[Policy]: ...


@overload
def policy_class(name: str, kind: Kind, scenario: Any = None) -> type[Specified]: ...


def policy_class(name: str, kind: Kind = WINDOW, scenario: Any = None) -> type[Specified]:
    """The class that is registered as `name`, or that `module:Class` or `FILE.py:Class` names.

    Args:
        kind: kind that the policy must have; of several, the first with that name counts; None: any, `window` first.
        scenario: a scenario; errors list the policies that serve it, and without one all.

    Raises:
        InputError: for an unknown name, with the nearest known one; for a missing module, file or class; for a policy
            of another kind.
    """
    return class_and_options(name, kind, scenario)[0]


def describe(name: str, kind: Kind = WINDOW) -> list[dict[str, str]]:
    """The options of a policy, one row each: `option`, `value`, `default`, `description`.

    Raises:
        InputError: as `policy_class`.
    """
    return described(policy_class(name, kind).Takes)


def class_and_options(spec: str, kind: Kind = WINDOW, scenario: Any = None) -> tuple[type[Specified], str]:
    """(class, text of the options) of a spec; arguments and errors as for `policy_class`."""
    _import_shipped()
    if not isinstance(spec, str) or not spec.strip():
        raise InputError(FIELD, spec, f"one of {', '.join(policy_specs(kind, scenario))}")
    spec = spec.strip()
    name, _, options = spec.partition(":")
    name = _ALIASES.get(name, name)
    for point_kind in _kinds(kind):
        if (point_kind.name, name) in _CLASSES:
            return _CLASSES[point_kind.name, name], options
    file = split_file(f"{spec}:" if spec.endswith(".py") else spec)
    if file is not None:
        return _class_in(load_file(file[0], FIELD, spec), file[0], file[1], spec, kind)
    if spec.endswith(".npz") or Path(spec).is_file():
        allowed = f"the name of a policy before that of its file, such as trained:{spec} for a file of pmtwin train"
        raise InputError(FIELD, spec, allowed, wrong="is the name of a file, not of a policy")
    if _is_module(name, options):
        return _class_in(_imported(name, spec), name, options, spec, kind)
    for other in policy_kinds():
        if (other, name) in _CLASSES:
            raise _other_kind(spec, _CLASSES[other, name].decides, kind, ", ".join(policy_specs(kind, scenario)))
    known = {known_name for _, known_name in _serving(kind, scenario)}
    error = unknown_name(FIELD, name, known, shown=policy_specs(kind, scenario))
    if files := files_with_class(name, Path.cwd()):
        classes = " or ".join(f"{file}:{spec}" for file in files)
        raise InputError(FIELD, spec, f"{error.allowed}; a class of a file with its file: {classes}")
    if name.isidentifier() and options[:1].isalpha():
        raise InputError(FIELD, spec, f"{error.allowed}; or module:Class, but no module {name!r} was found")
    raise error


def _kinds(kind: Kind) -> list[PointKind]:
    if isinstance(kind, PointKind):
        return [kind]
    by_name = {point_kind.name: point_kind for point_kind in (BETWEEN, CHOICE, REPLACEMENT)} | {
        cls.decides.name: cls.decides for cls in _CLASSES.values()
    }
    kinds = policy_kinds() if kind is None else [kind] if isinstance(kind, str) else kind
    return [by_name[entry] if isinstance(entry, str) else entry for entry in kinds]


def _other_kind(spec: str, kind: PointKind, required: Kind, allowed: str) -> InputError:
    """The error for a policy of another kind than the required one."""
    decisions = " or ".join(point_kind.decides for point_kind in _kinds(required))
    return InputError(FIELD, spec, allowed, wrong=f"decides {kind.decides}, not {decisions}")


def _is_module(name: str, text: str) -> bool:
    """Whether `name:text` means module:Class: the name is dotted, or that of a module, and a class name may follow."""
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
    """(class, text of the options) of `Class[:OPTIONS]` in a module."""
    name, _, options = text.partition(":")
    cls = getattr(module, name, None)
    if not _is_policy(cls):
        raise _no_policy(module, place, name, spec, _bases(_kinds(kind)))
    if not (isinstance(cls.Takes, type) and issubclass(cls.Takes, Options) and is_dataclass(cls.Takes)):
        allowed = "a class whose Takes is a dataclass derived from pmtwin.policies.Options"
        raise InputError(FIELD, spec, f"{allowed}; that of {cls.location()} is {cls.Takes!r}")
    if kind is not None and cls.decides not in _kinds(kind):
        raise _other_kind(spec, cls.decides, kind, f"a subclass of {_bases(_kinds(kind))}")
    if not cls.__module__.startswith("pmtwin.policies."):
        cls.name = f"{place}:{name}"  # other processes find the class by this name
    return cls, options


def _is_policy(value: object) -> TypeGuard[type[Specified]]:
    return isinstance(value, type) and issubclass(value, Specified) and value.decides is not None


def _bases(kinds: Iterable[PointKind]) -> str:
    """Base classes of users' policies of these kinds, for errors."""
    return " or ".join(kind.base for kind in kinds)


def _no_policy(module: ModuleType, place: str, name: str, spec: str, bases: str) -> InputError:
    """The error for a name that is no policy of a module; it names the module's policies, the nearest name first."""
    class_names = [key for key, cls in vars(module).items() if _is_policy(cls) and cls.__module__ == module.__name__]
    if not class_names:
        return InputError(FIELD, spec, f"{' or '.join(USERS)} with a subclass of {bases} in {place}")
    if not name:
        return InputError(
            FIELD, spec, ", ".join(f"{place}:{class_name}" for class_name in class_names), wrong="names no class"
        )
    allowed = f"a subclass of {bases}: {unknown_name(FIELD, name, class_names).allowed}"
    return InputError(FIELD, spec, allowed, wrong=f"names no policy in {place}")


@cache
def _import_shipped() -> None:
    """Import the modules of this folder, which register policies; called when a name is first looked up."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.ispkg:
            importlib.import_module(f"{__package__}.{module.name}")
    for name in _SHIPPED_INLINE:
        importlib.import_module(f"{__package__}.{name}")
