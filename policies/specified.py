"""Base class of every policy, whenever it decides: made from a spec, with checked options."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from pmtwin.policies.grammar import written
from pmtwin.sim.decisions.kind import PointKind
from pmtwin.sim.options import NoOptions, Options

if TYPE_CHECKING:
    from pmtwin.policies.base import PolicyContext

WINDOW = "window"
"""Kind of the policies that decide between windows; also the name of that decision point without settings."""

BETWEEN = PointKind(WINDOW, "between windows", "pmtwin.policies.Policy")
"""The decision between two windows; the methods of its policies are those of `Policy`."""


class Specified:
    """A policy that a spec makes: `NAME[:OPTIONS]`, or a user's class with options.

    The constructor keeps only the options, so that one object can run many times.

    Args:
        options: an object of `Takes`; all defaults if omitted.
    """

    name: ClassVar[str] = ""
    """The registered name, or the spec of a user's class; set by `register` and `make_policy`."""

    decides: ClassVar[PointKind] = None  # type: ignore[assignment]  # in this class only, which is no policy
    """Kind of the decision points that the policy serves; its base class sets it."""

    Takes: ClassVar[type[Options]] = NoOptions
    """Dataclass of the policy's options."""

    searched: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    """Option -> (low, high), the range of a parameter search; empty: no parameters are searched."""

    trainable: ClassVar[str | type] = ""
    """Training of the policy: a class derived from `pmtwin.policies.PolicyTraining`, or `module:Class`, which is
    imported on use; empty: the policy is not trained."""

    def __init__(self, options: Options | None = None):
        self.options = self.Takes() if options is None else options

    @classmethod
    def location(cls) -> str:
        """Class and file as text, for messages."""
        return f"{cls.__qualname__} in {inspect.getsourcefile(cls) or cls.__module__}"

    @classmethod
    def is_trained(cls) -> bool:
        """Whether `pmtwin train` can train the policy."""
        return bool(cls.trainable)

    @classmethod
    def check_scenario(cls, context: PolicyContext) -> None:
        """Raise `InputError` if no object of the class can serve a scenario; called before a training is planned."""
        return

    @classmethod
    def called(cls) -> str:
        """Name of this class in specs; a derived class that is not registered has a name of its own."""
        return vars(cls).get("name") or f"{cls.__module__}:{cls.__qualname__}"

    @property
    def spec(self) -> str:
        """The spec that makes this policy again."""
        options = getattr(self, "options", None)  # a user's constructor may not keep them
        return self.called() if options is None else written(self.called(), options)

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that the policy was made from; cached runs are repeated when their content changes."""
        return ()
