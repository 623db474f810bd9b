"""The system below a scenario: a twin on some engine, an emulated or a real system, behind the same few methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError

Setting = tuple[int, ...]


class Validity(NamedTuple):
    """Validity of the last window.

    Fields:
        extrapolated: it rests on points outside the data that the twin was fitted to.
        validity_warning: why the window should not be trusted; empty if it may be.
        missing: measures that nothing in the window could show (no request of a class came).
    """

    extrapolated: bool = False
    validity_warning: str = ""
    missing: frozenset[str] = frozenset()


class Load(NamedTuple):
    """Load before a window, for oracles, each number above 0, as a ratio.

    Fields:
        offered: load of the coming window.
        queued: in the queues now.
    """

    offered: tuple[float, ...] = ()
    queued: tuple[float, ...] = ()


class Trial(NamedTuple):
    """A window that has not passed.

    Fields:
        measures: as `System.measures`.
        load: the load that it offers, and the queues that it leaves.
    """

    measures: Mapping[str, float]
    load: Load


class Account(NamedTuple):
    """Requests in the system on average over the last window, counted in two ways: equal by Little's law.

    Fields:
        counted: by the system's own count.
        stamped: by the stamps of its clients.
        slack: requests by which the two may differ without any fault.
    """

    counted: float
    stamped: float
    slack: float = 0.0


class System(ABC):
    """A system under control: started with a setting, changed between windows, closed at the end.

    The settings and actions that come to it are accepted ones: the environment checks what comes from outside.
    Whoever makes one closes it, also after an error (`with contextlib.closing(system)`).
    """

    def decide(self, point: str, policy: Any, seed: int) -> None:
        """Let a policy decide at a point inside the windows; called before `start`.

        Args:
            point: name of a `DecisionPoint` of the scenario.
            policy: a `policies.InlinePolicy`; what it makes (`state`, `cache`) is asked while the windows run.
            seed: of all that it draws.

        Raises:
            InputError: for another point, or a policy that this system cannot ask.
        """
        raise InputError("decision point", point, f"none: {type(self).__name__} has none", wrong="is not there")

    def deciding(self, point: str) -> Sequence[Any]:
        """What decides at a point now, as its policy made it: one state, or one for each part that asks.

        A system with decision points overrides it: what is learned there is read from it.
        """
        allowed = f"of a scenario whose system says what decides there: {type(self).__name__} has no method deciding"
        raise InputError("decision point", point, allowed, wrong="is read for what was learned")

    @abstractmethod
    def start(self, setting: Setting) -> None:
        """Begin from an empty system at this setting; () where the scenario has no settings."""

    @abstractmethod
    def apply(self, action: Any) -> None:
        """Carry out an action of the scenario's space, or jump to a setting (a tuple), before the next window.

        It is not called before a window that begins without a decision.
        """

    @abstractmethod
    def run_window(self) -> None:
        """Run one window; requests in flight at its end are carried over."""

    def setting(self) -> Setting:
        """The setting now; () where the scenario has no settings."""
        return ()

    @abstractmethod
    def observation(self) -> np.ndarray:
        """The scenario's columns now: float64, shape (columns,), within their bounds; of an optional one NaN too."""

    @abstractmethod
    def measures(self) -> Mapping[str, float]:
        """The scenario's measures of the last window, by name; NaN where the window has no value of one.

        Results leave such a window out of the measure; agents that see measures see 0. It breaks no goal.
        """

    def validity(self) -> Validity:
        """Validity of the last window; a twin trusts it inside its data."""
        return Validity()

    def account(self) -> Account | None:
        """Counts of the last window by a real system; None where nothing counts, as in a twin."""
        return None

    def requests(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(class, uint8; latency in us) of the last window's requests in completion order, both of shape (n,).

        None where the scenario has no classes of requests.
        """
        return None

    def load(self) -> Load:
        """The offered load of the coming window and the queues now; empty where the context determines them.

        Not the random numbers of the window.
        """
        return Load()

    def tried(self, setting: Setting) -> Trial | None:
        """Measures of the next window at a setting, with its very random numbers.

        None where nobody can know: of real systems, and of simulators that cannot be copied.
        """
        return None

    def offered(self) -> Mapping[str, float]:
        """Measure -> the most that the last window's arrivals alone let it be; empty where nothing limits it."""
        return {}

    def set_context(self, conditions: Any) -> None:
        """Continue under other conditions; requests in flight are carried over.

        Args:
            conditions: a name of the scenario's contexts, or what one of its families drew.

        Raises:
            InputError: unless the system can change its conditions while it runs.
        """
        allowed = f"one context for the whole run: {type(self).__name__} has no method set_context"
        raise InputError("context", "another one while the system runs", allowed)

    def close(self) -> None:
        """Give back processes, threads and files; may be called again."""
        return
