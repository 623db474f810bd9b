"""Base class of policies that decide inside a simulation, for any kind of decision point.

A policy defines a function for each event that it handles; other events do nothing. A policy has one of two forms:

- *compiled*: static methods over the arrays that the method `arrays` returns. numba compiles them into the simulator,
  so that every engine and replays of traces run at full speed.
- *plain Python*: ordinary methods; `start` begins a run. Only the SimPy engine and replays can call them, slowly.

docs/inline-policies.md shows a complete example of each form.
"""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeGuard, cast

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.learned import given_back, learned_at, load_learned, mean_of
from pmtwin.policies.specified import Specified
from pmtwin.sim.compiling import with_users
from pmtwin.sim.decisions.faults import COMPILABLE, COMPILED_FUNCTION, at_fault, compiler_fault, is_of_compiler
from pmtwin.sim.decisions.frozen import freeze, frozen_arrays, frozen_functions, nothing
from pmtwin.sim.decisions.kind import Event
from pmtwin.sim.decisions.point import DecisionPoint
from pmtwin.sim.decisions.state import compiled_state
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, PolicyError
from pmtwin.sim.options import Options

if TYPE_CHECKING:
    from pmtwin.policies.base import PolicyContext


MAKING = {"begun", "cache", "compiled", "made_arrays", "order", "state"}
"""Methods that make the state of a run; they call `arrays` or `start` of a user's class."""


class InlinePolicy(Specified):
    """Decides inside a simulation.

    Derive from `Replacement` or `Choice`. For another kind of decision point (`pmtwin.sim.decisions.PointKind`), derive
    from this class and set `decides` to that kind.
    """

    learned: ClassVar[tuple[int | str, ...]] = ()
    """What the policy learns, and a file stores: indices into `arrays`, or attribute names in plain Python."""

    arrays: Callable[..., tuple[np.ndarray, ...]]
    """Makes the arrays of a run for the functions of a compiled policy; a policy in plain Python has no such method."""

    shared: ClassVar[tuple[int, ...]] = ()
    """Indices into `arrays` of those that policies with the same spec at several points of a run have in common."""

    draws: bool = True
    """Whether runs depend on the random key."""

    compiled_in: ClassVar[str] = ""
    """Module with compiled functions of the events, which a run loads: it needs numba, unlike a list of policies."""

    learning: bool = True
    """Whether the policy continues to learn; if False, what it learns is restored after each event."""

    trainable = "pmtwin.policies.training.inline:InlineTraining"

    _memories: Mapping[str, Mapping[str, np.ndarray]] = MappingProxyType({})
    """Decision point -> learned arrays in the file; an empty name in the file of a single policy."""

    _memory: Mapping[str, np.ndarray] | None = None

    def __init__(self, options: Options | None = None):
        super().__init__(options)
        if self.files:
            self._memories, self.origin = load_learned(self.files[0], self)
            if len(self._memories) == 1:
                (self._memory,) = self._memories.values()

    @property
    def files(self) -> tuple[str, ...]:
        """The file with what the policy has learned."""
        file = getattr(getattr(self, "options", None), "file", "")
        return (file,) if file else ()

    @property
    def memory(self) -> Mapping[str, np.ndarray] | None:
        """Learned arrays of earlier runs (`memory_of`), from which a run starts; None: nothing learned.

        Raises:
            InputError: if the file has several decision points, and `at` has not selected one.
        """
        if self._memory is None and self._memories:
            allowed = f"a policy for one decision point: {self._points_of_file()}"
            raise InputError(f"{FIELD} {self.spec}", self.files[0], allowed)
        return self._memory

    @memory.setter
    def memory(self, learned: Mapping[str, np.ndarray]) -> None:
        self._memory = learned

    def at(self, point: DecisionPoint) -> InlinePolicy:
        """This policy, set to decide at a decision point.

        Raises:
            InputError: if the file was learned at other points.
        """
        if self._memories and "" not in self._memories:
            if point.name not in self._memories:
                allowed = f"{self._points_of_file()}, which the policy was trained for"
                raise InputError("decision point", point.name, allowed, self.files[0])
            self._memory = self._memories[point.name]
        return self

    def _points_of_file(self) -> str:
        return " or ".join(self._memories)

    def memory_of(self, states: Sequence[Any]) -> dict[str, np.ndarray]:
        """Name -> array that a run has learned. Several states are averaged; integer arrays are rounded.

        Args:
            states: return values of `state` of this policy, after the run.
        """
        values = {str(place): [learned_at(state, place) for state in states] for place in self.learned}
        return {name: mean_of(arrays) for name, arrays in values.items()}

    @classmethod
    def serves(cls, point: DecisionPoint) -> bool:
        """Whether the policy handles the events of a decision point."""
        return cls.decides in point.kind.served_by

    @classmethod
    def is_trained(cls) -> bool:
        """Whether the class declares what it learns, or has a training."""
        return bool(cls.learned) or cls.trainable != InlinePolicy.trainable

    @classmethod
    def check_scenario(cls, context: PolicyContext) -> None:
        """Check that the scenario has a decision point for this policy.

        Raises:
            InputError: if it has none.
        """
        if not any(cls.serves(point) for point in context.points):
            point = f"a decision point that asks {', '.join(cls.decides.event_names)}"
            raise InputError(FIELD, cls.called(), f"in a scenario with {point}, which {context.scenario} has not")

    @classmethod
    def is_compiled(cls) -> bool:
        """Whether the functions are static methods, for every engine; otherwise only the SimPy engine can call them."""
        return bool(cls.compiled_in) or isinstance(
            inspect.getattr_static(cls, cls.decides.needed[0], None), staticmethod
        )

    @classmethod
    def check_form(cls) -> None:
        """Refuse an incomplete policy class.

        Raises:
            InputError: if a required event is missing, or if static and ordinary methods are mixed.
        """
        defined = [event for event in cls.decides.events if hasattr(cls, event.name)]
        if absent := [name for name in cls.decides.needed if not hasattr(cls, name)]:
            raise InputError(FIELD, cls.called(), f"a class with a method {absent[0]}; {cls.location()} has none")
        for event in defined:
            cls._check_arguments(event)
        plain = [event.name for event in defined if not cls._is_static(event.name)]
        if plain and len(plain) < len(defined):
            allowed = "static methods alone (compiled) or none (plain Python)"
            raise InputError(FIELD, cls.called(), f"{allowed}; {', '.join(plain)} of {cls.location()} is none")
        if cls.is_compiled() and not hasattr(cls, "arrays"):
            raise InputError(FIELD, cls.called(), f"a class with a method arrays; {cls.location()} has none")

    @classmethod
    def _is_static(cls, name: str) -> bool:
        return isinstance(inspect.getattr_static(cls, name), staticmethod)

    @classmethod
    def _check_arguments(cls, event: Event) -> None:
        """Refuse a function whose parameters do not match its event."""
        static = cls._is_static(event.name)
        names = ["arrays" if static else "self", *event.told]
        function = getattr(cls, event.name)
        try:
            inspect.signature(function).bind(*names)
        except TypeError as error:
            form = f"{event.name}({', '.join(names)})"
            allowed = f"a class with {form}; {event.name} of {cls.location()}: {error}"
            raise InputError(FIELD, cls.called(), allowed) from error

    def learns_in_a_run(self) -> bool:
        """Whether the policy learns during a run, as its class declares."""
        return bool(self.learned)

    def freeze(self) -> None:
        """Stop learning in the coming runs.

        Raises:
            InputError: for a user's class that overrides a method of `MAKING`, since its state cannot be restored.
        """
        authors = {
            name: next(cls for cls in type(self).__mro__ if name in vars(cls)) for name in MAKING & set(dir(self))
        }
        overridden = sorted(name for name, cls in authors.items() if not cls.__module__.startswith("pmtwin."))
        if self.learned and overridden:
            allowed = f"on: {self.spec} overrides {overridden[0]}, so that what it learns cannot be restored"
            raise InputError("learning", "frozen", allowed)
        self.learning = False

    def start(self, *arguments: Any) -> None:
        """Begin a run of a policy in plain Python: create all its state."""
        return

    def check_engine(self, engine: str) -> None:
        """Refuse an engine that cannot call this policy.

        Raises:
            InputError: for a policy in plain Python on the compiled engine.
        """
        if engine == "compiled" and not self.is_compiled():
            allowed = f"simpy for {self.spec}, which is plain Python (docs/inline-policies.md says what is compiled)"
            raise InputError("engine", engine, allowed)

    def made_arrays(self, *arguments: Any) -> tuple[np.ndarray, ...]:
        """The arrays that `arrays` makes for a run, with what earlier runs have learned.

        Raises:
            InputError: if `arrays` returns anything else.
        """
        with self.calls("arrays"):
            arrays = self.arrays(*arguments)
        self._declared = arrays  # their types serve to explain a function that does not compile
        if not (isinstance(arrays, tuple) and arrays and all(isinstance(array, np.ndarray) for array in arrays)):
            kinds = (
                f"a tuple of {', '.join(type(array).__name__ for array in arrays)}" if isinstance(arrays, tuple) else ""
            )
            wrong = f"returned {kinds or type(arrays).__name__}"
            raise InputError(FIELD, f"{self.spec}: arrays()", "a tuple of NumPy arrays, one or more", wrong=wrong)
        self._begin_learned({place: arrays[place] for place in self.learned if _is_place(place, len(arrays))})
        return arrays

    def _begin_learned(self, learned: Mapping[int | str, Any]) -> None:
        """Fill the learned arrays with those of earlier runs, if there were any.

        Raises:
            InputError: if an entry of the class attribute `learned` names no array.
        """
        for place in self.learned:
            if not isinstance(learned.get(place), np.ndarray):
                form = "places in arrays()" if self.is_compiled() else "names of NumPy arrays that start() makes"
                raise InputError(f"{FIELD} {self.spec}: learned", place, form)
            if self.memory is not None:
                given_back(self.memory, str(place), learned[place], self)

    def functions(self) -> dict[str, Callable]:
        """Event -> its function, of a compiled policy."""
        apart = importlib.import_module(self.compiled_in) if self.compiled_in else None
        return {event: getattr(type(self), event, getattr(apart, event, nothing)) for event in self.decides.event_names}

    def state(self, *arguments: Any) -> Any:
        """The state for one run: a `CompiledState`, or in plain Python a copy of the policy after `start`.

        Args:
            arguments: arguments of `arrays` or `start`; for a choice the decision point and the random key, uint64.

        Raises:
            InputError: if `arrays` does not return arrays.
        """
        if self.is_compiled():
            return self.compiled(*arguments)
        run = self.begun(*arguments)
        for event in self.decides.events:
            if not hasattr(run, event.name):
                setattr(run, event.name, nothing)
        return run

    def compiled(self, *arguments: Any) -> Any:
        """A `CompiledState` for one run of a compiled policy."""
        if not type(self).__module__.startswith("pmtwin."):
            with_users(self.spec)
        arrays, functions = self.made_arrays(*arguments), self.functions()
        if not self.learning:
            functions |= {event.name: nothing for event in self.decides.events if event.teaches}
            if self.learned:
                places = cast("tuple[int, ...]", self.learned)  # `made_arrays` has refused others
                functions = frozen_functions(functions, places, len(arrays))
                arrays = frozen_arrays(arrays, places)
        return compiled_state(arrays, functions)

    def begun(self, *arguments: Any) -> Self:
        """A copy of a policy in plain Python for one run, after `start`."""
        run = copy.copy(self)
        with self.calls("start"):
            run.start(*arguments)
        self._begin_learned({name: getattr(run, str(name), None) for name in self.learned})
        if not self.learning:
            for event in self.decides.events:
                if event.teaches:
                    setattr(run, event.name, nothing)
            freeze(run, self.decides.event_names, cast("tuple[str, ...]", self.learned))
        return run

    @contextmanager
    def calls(self, method: str = "") -> Iterator[None]:
        """Context manager that turns an error of the policy's functions into one line with file, line and function.

        Args:
            method: name of the called method; empty: named after the event function that failed.
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
        """The error in one line if a function of this policy raised it; otherwise None."""
        file = inspect.getsourcefile(type(self)) or type(self).__module__
        if is_of_compiler(error):
            fault = compiler_fault(self.decides, self.functions(), self._declared) if self.is_compiled() else None
            if fault is None:
                return None
            event, line, message = fault
            wrong = f"does not compile: {message}"
            return InputError(f"{FIELD} {self.spec}", event, COMPILABLE, f"{file}:{line}", wrong)
        place, event = at_fault(error, file, self.decides)
        if not (place or method or event) or (type(self).__module__.startswith("pmtwin.") and not method):
            return None
        reason = f"{type(error).__name__}: {error}"
        return PolicyError(self.spec, method or event or COMPILED_FUNCTION, None, place or file, reason)


def _is_place(place: int | str, count: int) -> TypeGuard[int]:
    return isinstance(place, int) and -count <= place < count
