"""Policies by name.

The grammar of a spec: `NAME[:ARGUMENT]`, or `module:Class[:ARGUMENT]` (the module dotted or not) for a class of one's
own.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable

from pmtwin.policies.base import Policy
from pmtwin.sim.errors import InputError, unknown_name

FIELD = "policy"

_CLASSES: dict[str, type[Policy]] = {}

_SHIPPED = ("none", "fixed", "random_actions", "threshold", "best_fixed", "q_learning", "online_q")
"""The modules of this package that register a policy; imported when a name is first looked up."""


def register(name: str) -> Callable[[type[Policy]], type[Policy]]:
    """Class decorator: makes a policy known as `name`.

    Raises:
        ValueError: if another class has the name, or the name has a colon (programming errors, not input).
    """
    if not name or ":" in name:
        raise ValueError(f"a policy's name must be non-empty and without a colon: {name!r}")

    def decorate(cls: type[Policy]) -> type[Policy]:
        known = _CLASSES.get(name)
        if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ValueError(f"policy {name!r} is registered already, by {known.__module__}.{known.__qualname__}")
        cls.name = name
        _CLASSES[name] = cls
        return cls

    return decorate


def policy_names() -> list[str]:
    """Names of all registered policies, sorted."""
    _import_shipped()
    return sorted(_CLASSES)


def policy_specs() -> list[str]:
    """What `make_policy` takes, as a user writes it: every name with its argument, and a class of one's own."""
    forms = [name if (of := _CLASSES[name].argument) is None else f"{name}:{of}" for name in policy_names()]
    return [*forms, "package.module:Class"]


def policy_class(name: str) -> type[Policy]:
    """The class registered as `name`.

    Raises:
        InputError: unknown name, with the nearest known one.
    """
    _import_shipped()
    if name not in _CLASSES:
        raise unknown_name(FIELD, name, _CLASSES, shown=policy_specs())
    return _CLASSES[name]


def make_policy(spec: str) -> Policy:
    """The policy that `spec` names.

    Raises:
        InputError: unknown name; an argument that is missing, not taken, or not accepted by the policy.
    """
    if not isinstance(spec, str) or not spec.strip():
        raise InputError(FIELD, spec, f"NAME or NAME:ARGUMENT with NAME one of {', '.join(policy_names())}")
    name, colon, argument = spec.strip().partition(":")
    if name not in policy_names() and _is_module(name, argument):
        cls, colon, argument = _imported_class(spec, name, argument)
    else:
        cls = _registered_class(spec, name, argument)
    if cls.argument is None:
        if colon:
            raise InputError(FIELD, spec, f"{name} alone; it takes no argument")
        return cls()
    if not argument:
        raise InputError(FIELD, spec, f"{name}:{cls.argument}")
    return cls(argument)


def _registered_class(spec: str, name: str, rest: str) -> type[Policy]:
    """As `policy_class`; the error of a spec that can be read as module:Class says that there is no such module."""
    try:
        return policy_class(name)
    except InputError as error:
        if not (name.isidentifier() and rest[:1].isalpha()):
            raise
        raise InputError(FIELD, spec, f"{error.allowed}; or module:Class, but no module {name!r} was found") from error


def _is_module(name: str, rest: str) -> bool:
    """Whether `name:rest` is meant as module:Class: a dotted name, or a module that is there before a class name."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    return "." in name or (rest[:1].isalpha() and importlib.util.find_spec(name) is not None)


def _imported_class(spec: str, module_name: str, rest: str) -> tuple[type[Policy], str, str]:
    """Class, colon and argument of `package.module:Class[:ARGUMENT]`."""
    class_name, colon, argument = rest.partition(":")
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError) as error:
        raise InputError(FIELD, spec, f"package.module:Class of an importable module ({error})") from error
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise InputError(FIELD, spec, f"package.module:Class with a subclass of policies.Policy in {module_name}")
    if not found.name:
        found.name = f"{module_name}:{class_name}"
    return found, colon, argument


def _import_shipped() -> None:
    for module in _SHIPPED:
        importlib.import_module(f"pmtwin.policies.{module}")
