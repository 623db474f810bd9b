"""Scenarios by the name of their folder, or from a file: `FILE.py:NAME`."""

from __future__ import annotations

from pathlib import Path

from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.lazy import object_at
from pmtwin.sim.common.shipped import environment_id, shipped
from pmtwin.sim.common.user_files import FORM, load_file
from pmtwin.sim.errors import InputError, unknown_name

SHIPPED = shipped(Path(__file__).parent, "pmtwin.scenarios", "scenario.py")
"""Name -> module:class; imported at the first use of the scenario."""

ENVIRONMENTS = {name: environment_id(where) for name, where in SHIPPED.items()}
"""Name -> Gymnasium id."""

DEFAULT = "nvm-middleware"
"""The scenario that a command means where its name may be left out."""


def scenario_names() -> tuple[str, ...]:
    """The scenarios that come with pmtwin, sorted."""
    return tuple(sorted(SHIPPED))


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


def blank(spec: str) -> Scenario:
    """The scenario without its options, which `pickle` brings after it."""
    cls = load_scenario(spec)
    return cls.__new__(cls)


REQUIRED = ("name", "description", "columns", "measures")
"""Class attributes without which there is no scenario."""


def check_declaration(scenario: type[Scenario]) -> None:
    """Refuse a class that declares no whole scenario.

    Raises:
        InputError: names the missing or wrong part.
    """
    missing = [name for name in REQUIRED if not hasattr(scenario, name)] + sorted(scenario.__abstractmethods__)
    if missing:
        allowed = f"a scenario that declares them: {', '.join(missing)}"
        raise InputError(f"scenario {scenario.__name__}", "missing attributes", allowed)
    for field in ("columns", "measures"):
        names = [each.name for each in getattr(scenario, field)]
        if not names or len(set(names)) < len(names):
            raise InputError(f"scenario {scenario.name}: {field}", names, "one or more names, each once")
    lead = next((measure for measure in scenario.measures if measure.compared), None)
    if scenario.reward is Scenario.reward and not (lead and lead.better):
        allowed = "a compared measure with `better` first, which is the reward by default; or a method reward(measures)"
        raise InputError(f"scenario {scenario.name}: reward", None, allowed)
    scenario.settings.check(f"scenario {scenario.name}: initial_setting", scenario.initial_setting)


def _from_file(spec: str) -> type[Scenario]:
    """The class of that name in the file, or the scenario that has the name."""
    file, _, name = spec.rpartition(":")
    module, path = load_file(file, "scenario", spec), Path(file)
    for each in vars(module).values():
        declared = isinstance(each, type) and issubclass(each, Scenario) and each.__module__ == module.__name__
        if declared and name in (each.__name__, getattr(each, "name", None)):
            check_declaration(each)
            each.spec = f"{path.resolve()}:{name}"
            return each
    raise InputError("scenario", spec, f"{FORM} with a subclass of pmtwin.scenarios.Scenario of that name in {path}")
