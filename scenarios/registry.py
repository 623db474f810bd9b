"""Scenarios by the name of their folder, or from a file: `FILE.py:NAME`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, SupportsIndex

from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.common.shipped import environment_id, modules, shipped
from pmtwin.sim.common.user_files import FORM, load_file
from pmtwin.sim.errors import InputError, unknown_name

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario

SHIPPED = shipped(Path(__file__).parent, "pmtwin.scenarios", "scenario.py")
"""Name -> module:class; imported at the first use of the scenario."""

LISTED = modules(Path(__file__).parent, "pmtwin.scenarios", "listings.py")
"""Name -> module whose `LISTINGS` (kind -> `scenarios.listing.Listing`) `pmtwin list` shows."""

BENCHED = modules(Path(__file__).parent, "pmtwin.scenarios", "benchmark.py")
"""Name -> module with the target of that name of `pmtwin bench` (`pmtwin.bench`)."""

ENVIRONMENTS = {name: environment_id(where) for name, where in SHIPPED.items()}
"""Name -> Gymnasium id."""

DEFAULT = "nvm-middleware"
"""The scenario that a command means where its name may be left out."""


class Registered(ABC):
    """What a name, or a name in a file, can mean: the base of every scenario.

    Class attributes:
        name: on the command line.
        spec: for `load_scenario`, which sets it: the name, or FILE.py:NAME.
    """

    name: ClassVar[str]
    spec: ClassVar[str] = ""

    @classmethod
    @abstractmethod
    def check_declaration(cls) -> None:
        """Raise `InputError` for a class that declares no whole scenario."""

    def __reduce_ex__(self, protocol: SupportsIndex):
        # Of a file outside the import path: the other process loads it before it reads the options, which it defines.
        spec = vars(type(self)).get("spec")  # its own: a class derived from this one is another scenario
        return (_blank, (spec,), self.__dict__) if spec else super().__reduce_ex__(protocol)


def scenario_names() -> tuple[str, ...]:
    """The scenarios that come with pmtwin, sorted behind the default one."""
    return tuple(sorted(SHIPPED, key=lambda name: (name != DEFAULT, name)))


def load_scenario(spec: str) -> type[Scenario]:
    """The scenario that a name, or FILE.py:NAME, means.

    Raises:
        InputError: for an unknown name, or a file that has no such scenario.
    """
    if ".py:" in spec:
        return _from_file(spec)
    if spec not in SHIPPED:
        raise unknown_name("scenario", spec, SHIPPED, shown=[*scenario_names(), FORM])
    scenario = object_at(SHIPPED[spec])
    scenario.spec = spec
    return scenario


def _from_file(spec: str) -> type[Scenario]:
    """The class of that name in the file, or the scenario that has the name."""
    file, _, name = spec.rpartition(":")
    module, path = load_file(file, "scenario", spec), Path(file)
    for each in vars(module).values():
        declared = isinstance(each, type) and issubclass(each, Registered) and each.__module__ == module.__name__
        if declared and name in (each.__name__, getattr(each, "name", None)):
            each.check_declaration()
            each.spec = f"{path.resolve()}:{name}"
            return each
    raise InputError("scenario", spec, f"{FORM} with a subclass of pmtwin.scenarios.Scenario of that name in {path}")


def _blank(spec: str) -> Scenario:
    """The scenario without its options, which `pickle` brings after it."""
    cls = load_scenario(spec)
    return cls.__new__(cls)
