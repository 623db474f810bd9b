"""Declaration of a scenario as plain values and as tables: columns, measures, goals, settings, points, options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, asdict

from pmtwin.config.arguments import METAVARS
from pmtwin.config.nouns import flag_of
from pmtwin.console.output import print_table, print_text
from pmtwin.scenarios.registry import ENVIRONMENTS
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import Column
from pmtwin.sim.control.settings import MOST_LISTED
from pmtwin.sim.decisions.point import DecisionPoint
from pmtwin.sim.options import NONE, Leaf, leaves
from pmtwin.sim.options.text import written_value


def declaration(scenario: type[Scenario]) -> dict:
    """Declaration of a scenario with default options, with the differing part of its variants, as plain values."""
    variants = [{"with": dict(values), **_system(scenario.of(**values))} for values in scenario.variants]
    return {
        "name": scenario.name,
        "description": scenario.description,
        "environment": ENVIRONMENTS.get(scenario.name),
        **_system(scenario()),
        **({"variants": variants} if variants else {}),
        "options": [_option(leaf) for leaf in leaves(scenario.Options)],
    }


def _system(scenario: Scenario) -> dict:
    """Entries of a declaration that depend on the options."""
    return {
        "columns": [_column(column) for column in scenario.columns],
        "measures": [asdict(measure) for measure in scenario.measures],
        "goals": [{"name": goal.name, "goal": str(goal)} for goal in scenario.goals],
        **_control(scenario),
        "points": [_point(point) for point in scenario.points],
        "contexts": {
            "noun": scenario.contexts.noun,
            "names": list(scenario.contexts.names),
            "families": list(scenario.contexts.families),
        },
        "modes": list(scenario.modes),
        "request_classes": list(scenario.request_classes),
        "baselines": list(scenario.baselines),
    }


def _column(column: Column) -> dict:
    entry = asdict(column)
    optional = entry.pop("optional")
    return entry | ({"optional": True} if optional else {})


def _point(point: DecisionPoint) -> dict:
    """Entry of a decision point."""
    entry = asdict(point) | {"features": [_column(column) for column in point.features]}
    entry["events"] = list(point.kind.event_names)
    entry["kind"] = point.kind.name
    return {
        "name": entry.pop("name"),
        "when": entry.pop("when"),
        "decides": _first_and_last(point.actions) or point.kind.decides,
        **entry,
    }


def _first_and_last(actions: Sequence[str]) -> str:
    """The names; of many the first and the last."""
    if len(actions) <= MOST_LISTED:
        return ", ".join(actions)
    return ", ".join((*actions[: MOST_LISTED - 2], "...", actions[-1]))


def _control(scenario: Scenario) -> dict:
    """Entry of the settings with their actions, or of the actions for a scenario without settings."""
    actions = {"actions": str(scenario.action_space)}
    if not scenario.settings:
        return actions
    return {
        "settings": {
            "noun": scenario.settings.noun,
            "allowed": scenario.settings.allowed,
            "initial": list(scenario.initial_setting),
            **actions,
            "moves": [list(move) for move in scenario.settings.moves],
        }
    }


def _option(leaf: Leaf) -> dict:
    about, default = leaf.about, None
    if not (leaf.default is MISSING or about.open):
        default = NONE if leaf.default is None else written_value(leaf, leaf.default)
    flag = about.flag or flag_of(leaf.name)
    return {
        "option": leaf.name,
        "flag": flag if about.shown else "--set",
        "value": about.metavar or METAVARS.get(leaf.kind, "" if leaf.kind is bool else leaf.name.upper()),
        "default": default,
        "description": about.help,
    }


def print_declaration(declared: dict) -> None:
    """Print a result of `declaration` as tables."""
    print(f"{declared['name']}: {declared['description']}")
    _print_system(declared, [("environment", declared["environment"])] if declared["environment"] else [])
    for variant in declared.get("variants", ()):
        words = (f"{flag_of(name)} {value}" for name, value in variant["with"].items())
        print(f"\nwith {' '.join(words)}:")
        _print_system(variant)
    print()
    print("options:")
    for entry in declared["options"]:
        _print_option(entry)


def _print_system(declared: dict, more: Sequence[tuple[str, str]] = ()) -> None:
    """Print rows of single values and the rows `more`, then a table for each key of `SHOWN`."""
    settings, contexts = declared.get("settings"), declared["contexts"]
    if settings is None:
        rows = [("actions", declared["actions"])]
    else:
        moves = len(settings["moves"])
        rows = [
            (settings["noun"], settings["allowed"]),
            ("initial", ",".join(map(str, settings["initial"]))),
            ("actions", f"numbers from 0 to {moves - 1}" if moves else settings["actions"]),
        ]
    rows += [
        (contexts["noun"], ", ".join(map(str, (*contexts["names"], *contexts["families"])))),
        ("modes", ", ".join(declared["modes"])),
        ("baselines", ", ".join(declared["baselines"])),
        *(("goal", goal["goal"]) for goal in declared["goals"]),
        *more,
    ]
    print_table(rows)
    for name, columns in SHOWN.items():
        entries = declared[name]
        filled = [key for key in columns if any(entry.get(key) not in ("", None) for entry in entries)]
        if entries:
            print()
            header = [TITLES.get(name, name.removesuffix("s")) if key == "name" else key for key in filled]
            cells = [[entry.get(key) for key in filled] for entry in entries]
            print_table([["" if cell is None else cell for cell in row] for row in cells], header)


SHOWN = {
    "columns": ("name", "low", "high", "unit", "scale", "optional"),
    "points": ("name", "when", "decides", "reward", "default"),
    "measures": ("name", "unit", "better", "compared", "description"),
}
"""Key of a declaration -> columns of its table; `--json` has all."""

TITLES = {"points": "decision point"}
"""Key -> noun for one entry, where it is not the singular of the key."""


def _print_option(entry: dict) -> None:
    """Print an option as on the command line, its default, and below them its description."""
    assignment = "" if "=" in entry["value"] else f"{entry['option']}="
    flag = f"--set {assignment}" if entry["flag"] == "--set" else entry["flag"]
    usage = f"{flag}{entry['value']}" if flag.endswith(("=", " ")) else f"{flag} {entry['value']}".rstrip()
    silent = entry["default"] in (None, "", NONE, "false") or "(default" in entry["description"]
    print(f"  {usage}" + ("" if silent else f" (default: {entry['default']})"))
    print_text(f"      {entry['description']}", "      ")
