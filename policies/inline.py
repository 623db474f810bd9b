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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pmtwin.policies.learned import given_back, load_learned
from pmtwin.policies.specified import FIELD, Specified
from pmtwin.sim.decisions.point import CHOICE, REPLACEMENT, DecisionPoint
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, PolicyError
from pmtwin.sim.options import Options

if TYPE_CHECKING:
    from pmtwin.policies.base import PolicyContext

TOLD = {
    "hit": ("line",), "miss": ("page",), "victim": ("pins",), "evict": ("line", "page"), "admit": ("line",),
    "decide": ("features", "mask"), "observe": ("features", "action", "reward"),
}  # fmt: skip
"""Event -> what its function is told."""


class InlinePolicy(Specified):
    """Decides inside a simulation; derive from `Replacement` or `Choice`."""

    events: ClassVar[tuple[str, ...]] = ()
    """The events that it may answer, in the order of their arguments' documentation."""

    needed: ClassVar[str] = ""
    """The event that it must answer."""

    learned: ClassVar[tuple[int | str, ...]] = ()
    """What it learns, and a file keeps: places in `arrays`, or attributes of a plain one; empty: nothing."""

    draws: bool = True
    """Whether runs with other keys may differ."""

    learning: bool = True
    """Whether it goes on to learn; a choice that is frozen is told no rewards."""

    memory: Mapping[str, np.ndarray] | None = None
    """What earlier runs have learned (`memory_of`), with which a run begins; None: nothing."""

    trainable = "pmtwin.policies.training.inline:InlineTraining"

    def __init__(self, options: Options | None = None):
        super().__init__(options)
        if file := getattr(self.options, "file", ""):
            self.memory, self.origin = load_learned(file, self)

    @property
    def files(self) -> tuple[str, ...]:
        """The file of what it has learned."""
        file = getattr(getattr(self, "options", None), "file", "")
        return (file,) if file else ()

    def memory_of(self, states: Sequence[Any]) -> dict[str, np.ndarray]:
        """What a run has learned, by name; of several states the mean.

        Args:
            states: what decides, as this policy made it.
        """
        values = {str(place): [_learned_at(state, place) for state in states] for place in self.learned}
        return {name: np.mean(each, axis=0).astype(each[0].dtype) for name, each in values.items()}

    @classmethod
    def serves(cls, point: DecisionPoint) -> bool:
        """Whether it answers what a decision point asks."""
        return set(point.events) <= set(cls.events)

    @classmethod
    def is_trained(cls) -> bool:
        """Whether it says what it learns, or brings a training of its own."""
        return bool(cls.learned) or cls.trainable != InlinePolicy.trainable

    @classmethod
    def check_scenario(cls, context: PolicyContext) -> None:
        """One of the scenario's decision points asks what it answers.

        Raises:
            InputError: if none does.
        """
        if not any(cls.serves(point) for point in context.points):
            asked = f"a decision point that asks {', '.join(cls.events)}"
            raise InputError(FIELD, cls.called(), f"in a scenario with {asked}, which {context.scenario} has not")

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
        for event in defined:
            cls._check_arguments(event)
        static = [isinstance(inspect.getattr_static(cls, event), staticmethod) for event in defined]
        if len(set(static)) > 1:
            plain = ", ".join(event for event, each in zip(defined, static, strict=True) if not each)
            allowed = f"static methods alone (compiled) or none (plain Python); {plain} of {_place(cls)} is none"
            raise InputError(FIELD, cls.called(), allowed)
        if cls.is_compiled() and not hasattr(cls, "arrays"):
            raise InputError(FIELD, cls.called(), f"a class with a method arrays; {_place(cls)} has none")

    @classmethod
    def _check_arguments(cls, event: str) -> None:
        """Refuse a function that does not take what its event tells."""
        static = isinstance(inspect.getattr_static(cls, event), staticmethod)
        names = ["arrays" if static else "self", *TOLD[event]]
        function = inspect.getattr_static(cls, event).__func__ if static else getattr(cls, event)
        try:
            inspect.signature(function).bind(*names)
        except TypeError as error:
            form = f"{event}({', '.join(names)})"
            raise InputError(FIELD, cls.called(), f"a class with {form}; {event} of {_place(cls)}: {error}") from error

    def start(self, *told: Any) -> None:
        """Begin a run of a plain policy; all its state begins here."""
        return

    def check_engine(self, engine: str) -> None:
        """Refuse an engine that cannot call this policy.

        Raises:
            InputError: for a policy in plain Python on the compiled engine.
        """
        if engine == "compiled" and not self.is_compiled():
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
            for place in self.learned if self.memory else ():
                given_back(self.memory, str(place), arrays[place], self)
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
        for name in self.learned if self.memory else ():
            given_back(self.memory, name, getattr(run, name), self)
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
            fault = self.fault(error, method)
            if fault is None:
                raise
            raise fault from error

    def fault(self, error: BaseException, method: str = "") -> PmtwinError | None:
        """An error in one line, if it comes from a function of this policy; otherwise None."""
        from pmtwin.policies.inline_faults import (
            COMPILABLE,
            COMPILED_FUNCTION,
            at_fault,
            compiler_fault,
            is_of_compiler,
        )

        file = inspect.getsourcefile(type(self)) or type(self).__module__
        if is_of_compiler(error):
            fault = compiler_fault(self.functions(), self._declared) if self.is_compiled() else None
            if fault is None:
                return None
            event, line, said = fault
            return InputError(f"{FIELD} {self.spec}", event, COMPILABLE, f"{file}:{line}", f"does not compile: {said}")
        place, event = at_fault(error, file, self.events)
        if not (place or method or event) or (type(self).__module__.startswith("pmtwin.") and not method):
            return None
        reason = f"{type(error).__name__}: {error}"
        return PolicyError(self.spec, method or event or COMPILED_FUNCTION, None, place or file, reason)


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
            run = self.begun(point, key)
            if not (self.learning and hasattr(run, "observe")):
                run.observe = lambda features, action, reward: None
            return run
        from pmtwin.sim.decisions.state import compiled_state

        frozen = {} if self.learning else {"observe": _NOTHING["observe"]}
        return compiled_state(self.made_arrays(point, key), self.functions() | frozen)


def _learned_at(state: Any, place: int | str) -> np.ndarray:
    """An array of a `CompiledState`, of a cache's, or an attribute of a plain policy."""
    state = getattr(state, "order", getattr(state, "policy", state))
    return state.arrays[place] if isinstance(place, int) else getattr(state, place)


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
