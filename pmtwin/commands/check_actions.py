"""Visit every setting that actions can lead to under the rules of an operator, and look for one that must not be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.config.record import arguments
from pmtwin.config.shared import CommandConfig, Printed
from pmtwin.config.summaries import description
from pmtwin.console.output import print_json
from pmtwin.scenarios.capabilities.required import SETTINGS, require
from pmtwin.scenarios.live_system.declaration import Live
from pmtwin.scenarios.registry import Registered, load_scenario
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.common.user_files import file_and_name, load_file, made_by
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.policies.reachable import Visit

DESCRIPTION = description(
    "check-actions", "; exit code 1 if there is one, or a jump that was not visited may lead to one"
)
EXAMPLES = (
    "pmtwin check-actions docs/examples/sqlite_rules.toml",
    "pmtwin check-actions rules.toml --system nvm-middleware --json",
)


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Printed):
    """Options of `pmtwin check-actions`."""

    command: ClassVar[str] = "check-actions"
    runs_user_code: ClassVar[bool] = True
    rules: Path = option(help="rules of the action checker", metavar="RULES", positional=True)
    system: str | None = option(
        None,
        "scenario with settings, or live system, that the rules are for (default: `system` in the rules)",
        metavar="NAME|FILE.py:NAME",
    )


def run(config: Config) -> int:
    """Visit and print; returns 0, or 1 if a setting that must not be can be reached, or jumps leave that in doubt.

    Raises:
        InputError: for rules or a system that are not accepted, or a start outside the rules.
    """
    from pmtwin.policies.action_rules import ActionRules
    from pmtwin.policies.reachable import visit

    settings, start = _system(config)
    rules = ActionRules.read(config.rules, settings)
    rules.check_start(start, start)
    visited = visit(rules, start)
    report: dict[str, Any] = visited._asdict() | {"of_settings": len(settings), "start": list(start)}
    with results():
        if config.json:
            print_json(report | {"configuration": {"arguments": arguments(config)}})
        else:
            jumps = "numbered actions and jumps" if visited.jumps else "numbered actions"
            print(f"{visited.settings:,} of {len(settings):,} settings can be reached from {settings.written(start)}")
            print(
                f"{visited.actions:,} pairs of setting and action ({jumps}), {visited.refused:,} refused or shortened"
            )
            if visited.hole:
                way = " -> ".join(map(settings.written, visited.hole))
                print(f"hole: {settings.written(visited.hole[-1])} breaks {visited.broken}; the way: {way}")
            else:
                print(f"no setting that must not be reached can be{_about_jumps(visited, settings)}")
    return int(bool(visited.hole or visited.in_doubt))


def _about_jumps(visited: Visit, settings: Settings) -> str:
    """What is known about jumps, to the end of a sentence."""
    from pmtwin.policies.reachable import MOST_JUMPED

    if visited.jumps:
        return ""
    apart = f"{visited.unvisited:,} jumps were not visited (more than {MOST_JUMPED:,} settings)"
    if not visited.in_doubt:
        return f" by numbered actions, nor by jumps, which the rules refuse there; {apart}"
    return f" by numbered actions; {apart}: the rules do not refuse one to {settings.written(visited.in_doubt)}"


def _system(config: Config) -> tuple[Settings, tuple[int, ...]]:
    """(settings, first setting) of the system that the rules are for."""
    from pmtwin.policies.action_rules import SYSTEM, table_of

    spec = config.system
    if spec is None:
        spec = table_of(config.rules).get(SYSTEM)
        if not isinstance(spec, str):
            allowed = f'{SYSTEM} = "FILE.py:NAME" or a scenario in the rules, or --system'
            raise InputError(SYSTEM, None if spec is None else repr(spec), allowed, str(config.rules))
        if ".py:" in spec:
            spec = str(config.rules.parent / spec)
    if ".py:" in spec:
        file, name = file_and_name(spec, SYSTEM)
        declared = getattr(load_file(file, SYSTEM, spec), name, None)
        if not (isinstance(declared, type) and issubclass(declared, Registered)):
            live = made_by(spec, SYSTEM, Live, "a live system (pmtwin.live)")
            return live.settings, live.initial
    scenario = load_scenario(spec)
    require(scenario, SETTINGS, "rules are for")
    return scenario.settings, scenario.initial_setting
