"""What every policy is, whenever it decides: made from a spec, with options that are checked."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, ClassVar

from pmtwin.policies.grammar import written
from pmtwin.sim.decisions.kind import PointKind
from pmtwin.sim.options import NoOptions, Options

if TYPE_CHECKING:
    from pmtwin.policies.base import PolicyContext

WINDOW = "window"
"""Kind of the policies that decide between two windows; name of that point in a scenario without settings."""

BETWEEN = PointKind(WINDOW, "between windows", "pmtwin.policies.Policy")
"""The decision between two windows, whose policies have methods of their own (`Policy`)."""


class Specified:
    """A policy that a spec makes: `NAME[:OPTIONS]`, or the same of a user's class.

    A constructor keeps its options and nothing of a run, so that one object can run many times.

    Args:
        options: an object of `Takes`; all defaults if omitted.
    """

    name: ClassVar[str] = ""
    """The registered name, or the spec of a user's class; set by `register` and `make_policy`."""

    decides: ClassVar[PointKind] = None  # type: ignore[assignment]  # of this class alone, which is no policy
    """The kind of decision points that it is for; every policy's base class names one."""

    Takes: ClassVar[type[Options]] = NoOptions
    """The dataclass of the options that it takes; none by default."""

    trainable: ClassVar[str | type] = ""
    """Its training: a class derived from `pmtwin.policies.PolicyTraining`, or `module:Class` of it, which is imported
    when it is asked for; empty: the policy is not trained."""

    def __init__(self, options: Options | None = None):
        self.options = self.Takes() if options is None else options

    @classmethod
    def place(cls) -> str:
        """Class and file, for messages."""
        return f"{cls.__qualname__} in {inspect.getsourcefile(cls) or cls.__module__}"

    @classmethod
    def is_trained(cls) -> bool:
        """Whether `pmtwin train` trains it."""
        return bool(cls.trainable)

    @classmethod
    def check_scenario(cls, context: PolicyContext) -> None:
        """Raise `InputError` where no object of the class can serve a scenario; asked before a training is planned."""
        return

    @classmethod
    def called(cls) -> str:
        """The spec of this class, not of its base class."""
        return vars(cls).get("name") or f"{cls.__module__}:{cls.__qualname__}"

    @property
    def spec(self) -> str:
        """The spec that makes this policy again."""
        options = getattr(self, "options", None)  # none where a class's own constructor keeps none
        return self.called() if options is None else written(self.called(), options)

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that it was made from; kept runs are repeated when one has another content."""
        return ()
