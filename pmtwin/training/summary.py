"""The summary of a training for a reader: files, results, and the next command."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.config.next_command import evaluation_words, next_line
from pmtwin.console.output import about, about_now, print_table
from pmtwin.policies.points import by_point
from pmtwin.policies.trainings import trainee
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    from pmtwin.policies.training.policy_training import PolicyTraining
    from pmtwin.training.config import Config

TITLES = {
    "policy_name": "policy",
    "policy": "trained policy",
    "record": "record of the run",
    "selections": "evaluations during training",
    "checkpoint": "checkpoint (until the end)",
    "steps": "windows",
    "attainment": "attainment in training",
    "selected_after_episode": "chosen after episode",
}
"""Key of a summary -> title for a reader; other keys are shown with spaces for underscores."""

UNLISTED = ("plan", "spec")
"""Keys that are not shown: the record has them in full, or the next command shows them."""


@results()
def print_training(summary: Mapping, config: Config) -> None:
    """Print the result of `pmtwin.training.run.trained`."""
    print_table(rows(summary, _titles(config.training_of_policy)))
    print()
    spec = summary.get("spec") or config.training_of_policy.spec_of(config.task, str(config.output))
    whole = trainee(config.policy).spec(config.policy, spec)
    print(next_command(whole, config.scenario, config.seed, config.rules))


@results()
def print_planned(planned: Mapping, config: Config) -> None:
    """Print the plan of `pmtwin train --dry-run`, without the parameters of the twin."""
    scenario, titles = config.scenario, _titles(config.training_of_policy)
    plan = {name: value for name, value in planned["plan"].items() if type(value) in (int, str)}
    if (contexts := planned["plan"].get("contexts", [OWN])) != [OWN]:
        plan["contexts"] = contexts
    named = {name: planned[name] for name in ("scenario", "engine", "profile", "seed", "campaign") if name in planned}
    conditions = {name: value for name, value in planned["environment"].items() if isinstance(value, str) and value}
    conditions |= scenario.derived()
    conditions |= {"goals": "; ".join(map(str, scenario.goals))} if scenario.goals else {}
    steps = {"steps": planned["steps"]} if "steps" in planned else {}
    duration = [("duration", about_now(planned["about_seconds"]))]
    files = rows(planned["files"], titles)
    print_table([("policy", planned["policy"]), *rows(named | conditions | plan | steps), *files, *duration])
    print("(--json: the whole configuration)")


def _titles(training: PolicyTraining) -> dict[str, str]:
    """`TITLES`, with those of the training's tables."""
    return TITLES | {name: table.title for name, table in training.tables.items()}


def rows(summary: Mapping, titles: Mapping[str, str] = TITLES) -> list[tuple[str, str]]:
    """(title, value in words) of each entry."""
    kept = {
        key: value
        for key, value in summary.items()
        if key not in UNLISTED and value not in ([], {}) and value is not False
    }
    return [(titles.get(key, key.replace("_", " ")), _cell(key, value)) for key, value in kept.items()]


def _cell(key: str, value: object) -> str:
    if key == "attainment" and isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {percent(share)}" for name, share in value.items())
    if key == "seconds":
        parts = value if isinstance(value, Mapping) else {"": value}
        return ", ".join(f"{name} {about(seconds)}".strip() for name, seconds in parts.items())
    if isinstance(value, Mapping):
        colon, between = (":", "; ") if any(isinstance(part, list | tuple) for part in value.values()) else ("", ", ")
        return between.join(f"{name.replace('_', ' ')}{colon} {_cell('', part)}" for name, part in value.items())
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        if all(isinstance(part, str) for part in value):
            return ", ".join(value)
        return ",".join(f"{each:g}" if isinstance(each, float) else str(each) for each in value)
    return f"{value:,}" if type(value) is int and key != "seed" else str(value)


def next_command(spec: str, scenario: Scenario, seed: int, rules: Path | None = None) -> str:
    """The command line that compares a policy under the training's conditions, with other random numbers.

    Args:
        seed: seed of the training. rules: file of its rules, which the policy does not keep by itself.
    """
    checked = () if rules is None else ("--rules", str(rules))
    baselines = filter(partial(_stands_alone, scenario), scenario.baselines)
    return next_line("evaluate", *evaluation_words(scenario, seed), *checked, "--policies", spec, *baselines)


def _stands_alone(scenario: Scenario, spec: str) -> bool:
    """Whether a baseline's spec names its decision point: `random` does not, if it could decide at two points."""
    try:
        return bool(by_point(spec, scenario))
    except InputError:
        return False
