"""Policies that decide inside a simulation: which page leaves a full cache, where a job goes next.

A policy has a function for each event that it answers (`events`); one that it does not define does nothing. It has one
of two forms:

- *compiled*: the functions are static methods over arrays that `arrays` declares, without `self`. numba compiles them
  into the simulator, for every engine and for replays of traces, which run at the simulator's own speed.
- *plain Python*: ordinary methods; `start` begins a run. The SimPy engine calls them, and replays do, slowly.

docs/inline-policies.md shows a whole one of each.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from pmtwin.policies.specified import FIELD, Specified
from pmtwin.sim.decisions.point import CHOICE, REPLACEMENT, DecisionPoint
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, PolicyError

MOST_LINES = 1 << 28
"""Of a cache."""


class InlinePolicy(Specified):
    """Decides inside a simulation; derive from `Replacement` or `Choice`."""

    events: ClassVar[tuple[str, ...]] = ()
    """The events that it may answer, in the order of their arguments' documentation."""

    needed: ClassVar[str] = ""
    """The event that it must answer."""

    @classmethod
    def serves(cls, point: DecisionPoint) -> bool:
        """Whether it answers what a decision point asks."""
        return set(point.events) <= set(cls.events)

    @classmethod
    def is_compiled(cls) -> bool:
        """Whether its functions are static methods, which every engine calls; otherwise only the SimPy engine does."""
        return isinstance(inspect.getattr_static(cls, cls.needed, None), staticmethod)

    @classmethod
    def check_form(cls) -> None:
        """Refuse a class that is no whole policy.

        Raises:
            InputError: without the event that it must answer, or with static methods and others mixed.
        """
        defined = [event for event in cls.events if hasattr(cls, event)]
        if cls.needed not in defined:
            allowed = f"a class with a method {cls.needed}; {_place(cls)} has none"
            raise InputError(FIELD, cls.called(), allowed)
        static = [isinstance(inspect.getattr_static(cls, event), staticmethod) for event in defined]
        if len(set(static)) > 1:
            plain = ", ".join(event for event, each in zip(defined, static, strict=True) if not each)
            allowed = f"static methods alone (compiled) or none (plain Python); {plain} of {_place(cls)} is none"
            raise InputError(FIELD, cls.called(), allowed)
        if cls.is_compiled() and not hasattr(cls, "arrays"):
            raise InputError(FIELD, cls.called(), f"a class with a method arrays; {_place(cls)} has none")

    def start(self, *told: Any) -> None:
        """Begin a run of a plain policy; all its state begins here."""
        return

    def check_engine(self, engine: str) -> None:
        """Refuse an engine that cannot call this policy.

        Raises:
            InputError: for a policy in plain Python on another engine than `simpy`.
        """
        if engine != "simpy" and not self.is_compiled():
            allowed = f"simpy for {self.spec}, which is plain Python (docs/inline-policies.md says what is compiled)"
            raise InputError("engine", engine, allowed)

    def made_arrays(self, *told: Any) -> tuple[np.ndarray, ...]:
        """What `arrays` declares for a run.

        Raises:
            InputError: unless these are arrays.
        """
        with self.calls("arrays"):
            arrays = self.arrays(*told)
        self._declared = arrays  # of which only the types count, where a function does not compile
        if isinstance(arrays, tuple) and arrays and all(isinstance(each, np.ndarray) for each in arrays):
            return arrays
        kind = f"a tuple of {', '.join(type(each).__name__ for each in arrays)}" if isinstance(arrays, tuple) else ""
        wrong = f"returned {kind or type(arrays).__name__}"
        raise InputError(FIELD, f"{self.spec}: arrays()", "a tuple of NumPy arrays, one or more", wrong=wrong)

    def functions(self) -> dict[str, Callable]:
        """Event -> its function, of a compiled policy."""
        return {event: getattr(type(self), event, _NOTHING.get(event)) for event in self.events}

    def begun(self, *told: Any) -> InlinePolicy:
        """Of a plain one: an object for one run, which `start` has begun."""
        run = copy.copy(self)
        with self.calls("start"):
            run.start(*told)
        return run

    @contextmanager
    def calls(self, method: str = "") -> Iterator[None]:
        """Context manager: an error of the policy's functions is one line that names file, line and function.

        Args:
            method: what is called; empty: whichever function of an event failed.
        """
        try:
            yield
        except (PmtwinError, KeyboardInterrupt):
            raise
        except FAILURES as error:
            raise self._fault(error, method) from error

    def _fault(self, error: BaseException, method: str) -> BaseException:
        from pmtwin.policies.inline_faults import COMPILABLE, at_fault, compiler_fault, is_of_compiler

        file = inspect.getsourcefile(type(self)) or type(self).__module__
        if is_of_compiler(error) and self.is_compiled():
            event, line, said = compiler_fault(self.functions(), self._declared, error)
            field, wrong = f"{FIELD} {self.spec}", f"does not compile: {said}"
            return InputError(field, event, COMPILABLE, f"{file}:{line}" if line else file, wrong)
        place, event = at_fault(error, file, {each: getattr(type(self), each, None) for each in self.events})
        if type(self).__module__.startswith("pmtwin.") and not place:
            return error
        reason = f"{type(error).__name__}: {error}"
        return PolicyError(self.spec, method or event or "a compiled function", None, place or file, reason)


class Replacement(InlinePolicy):
    """Which page leaves a full cache.

    Compiled: `arrays(self, lines, key)` declares the arrays, and the events are static methods `hit(arrays, line)`,
    `miss(arrays, page)`, `victim(arrays, pins)`, `evict(arrays, line, page)`, `admit(arrays, line)`. A request for a
    page is a hit of its line, or else a miss: then, if no line is empty, `victim` names the line that goes and `evict`
    tells that its page has left; the page comes into the line, which `admit` tells. Plain Python: the same methods with
    `self` for `arrays`, and `start(self, lines, key)`.

    `pins` are lines that must keep their page now: `victim` asks `pmtwin.policies.replacement.is_pinned(pins, line)`.
    `key` is for random numbers (`pmtwin.sim.draws.uniform`).
    """

    kind = "replacement"
    events = REPLACEMENT
    needed = "victim"
    clairvoyant: bool = False
    """Whether it knows the next request of each page."""

    replays_alone: ClassVar[bool] = False
    """Whether its cache only replays requests, and cannot be asked inside a simulation."""

    def cache(self, lines: int, seed: int = 0) -> Any:
        """An empty cache under this policy.

        Args:
            lines: of the cache.
            seed: of all that is drawn.

        Raises:
            InputError: for a number of lines out of range, or arrays that are none.
        """
        from pmtwin.policies.replacement.making import policy_cache

        return policy_cache(self, lines, seed)

    def order(self, lines: int, key: int) -> Any:
        """Its state on an empty cache, as compiled code takes it."""
        from pmtwin.sim.decisions.state import compiled_state

        return compiled_state(self.made_arrays(lines, key), self.functions())


class Choice(InlinePolicy):
    """Chooses among numbered actions, and is told the reward when it is known.

    Compiled: `arrays(self, point, key)` declares the arrays for a `pmtwin.sim.decisions.DecisionPoint`, and the events
    are static methods `decide(arrays, features, mask)`, which returns the number of an action, and
    `observe(arrays, features, action, reward)`. Plain Python: the same methods with `self` for `arrays`, and
    `start(self, point, key)`.
    """

    kind = "choice"
    events = CHOICE
    needed = "decide"

    def state(self, point: DecisionPoint, key: int) -> Any:
        """What an engine asks at a decision point: a `CompiledState`, or an object of a plain class.

        Args:
            point: where it decides.
            key: of all that is drawn, uint64.

        Raises:
            InputError: for arrays that are none.
        """
        if not self.is_compiled():
            return self.begun(point, key)
        from pmtwin.sim.decisions.state import compiled_state

        return compiled_state(self.made_arrays(point, key), self.functions())


_NOTHING: Mapping[str, Callable] = {
    "hit": lambda arrays, line: None,
    "miss": lambda arrays, page: None,
    "evict": lambda arrays, line, page: None,
    "admit": lambda arrays, line: None,
    "observe": lambda arrays, features, action, reward: None,
}
"""Functions of the events that a policy may leave out."""


def _place(cls: type) -> str:
    """Class and file, for messages."""
    return f"{cls.__qualname__} in {inspect.getsourcefile(cls) or cls.__module__}"
