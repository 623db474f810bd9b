"""A policy for one decision point, made from its spec."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal, overload

from pmtwin.policies.grammar import FIELD, parsed
from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.registry import Kind, class_and_options
from pmtwin.policies.specified import WINDOW, Specified
from pmtwin.sim.common.user_files import place_of
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, PolicyError

if TYPE_CHECKING:
    from pmtwin.policies.base import Policy
    from pmtwin.policies.inline import Choice


@overload
def single_policy(spec: str, *, scenario: Any = None) -> Policy: ...


@overload
def single_policy(spec: str, kind: Literal["choice"], scenario: Any = None) -> Choice: ...


@overload
def single_policy(spec: str, kind: Kind, scenario: Any = None) -> Specified: ...


def single_policy(spec: str, kind: Kind = WINDOW, scenario: Any = None) -> Specified:
    """The policy that a spec names without a decision point.

    Args:
        spec: `NAME[:OPTIONS]`, or a user's class with options.
        kind: kind that the policy must have, as for `policy_class`: `window`, `replacement`, `choice`.
        scenario: as for `policy_class`.

    Raises:
        InputError: for an unknown name; for an option that is unknown, missing or not accepted; for an incomplete
            class.
        PolicyError: if the constructor of a user's class fails.
    """
    cls, options = class_and_options(spec, kind, scenario)
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(vars(cls)["__abstractmethods__"]))
        allowed = f"a class with a method {missing}(self, observation, info=None); {cls.location()} has none"
        raise InputError(FIELD, spec, allowed)
    if issubclass(cls, InlinePolicy) and not cls.__module__.startswith("pmtwin."):
        cls.check_form()
    takes = parsed(cls.called(), cls.Takes, options)
    try:
        inspect.signature(cls).bind(takes)
    except TypeError as error:
        allowed = f"a class with a constructor of one argument, its options; {cls.location()} has another: {error}"
        raise InputError(FIELD, spec, allowed) from error
    try:
        return cls(takes)
    except PmtwinError:
        raise
    except FAILURES as error:
        raise PolicyError(spec, "__init__", None, place_of(error), f"{type(error).__name__}: {error}") from error
