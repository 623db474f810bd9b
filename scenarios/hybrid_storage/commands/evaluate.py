"""`pmtwin evaluate hybrid-storage`: each workload is as long as its measured part; several capacities at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pmtwin import __version__
from pmtwin.commands import evaluate
from pmtwin.config.record import arguments
from pmtwin.console.output import json_text, print_table, print_text
from pmtwin.console.overwrite_guard import EVALUATION, check_output
from pmtwin.evaluation.results import Result
from pmtwin.scenarios.hybrid_storage.commands.beside_tables import print_beside, shown_as
from pmtwin.scenarios.hybrid_storage.options import OPTIMUM
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.common.number_forms import percent, rounded
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.files.writing import write_text
from pmtwin.sim.hybrid.options import HybridOptions, percent_of
from pmtwin.sim.options import option, option_again

AGENTS = ("sibyl", "harmonia")
"""Agents that take part beside the baselines if no policy is named."""

WORDS = " (default here: the measured part of each workload, once)"


def _percents(field: str, text: str) -> float | tuple[float, ...]:
    """One percentage or several."""
    values = tuple(percent_of(field, part) for part in text.split(","))
    return values if len(values) > 1 else values[0]


def _written(value: float | Sequence[float]) -> str:
    return ",".join(f"{each:.15g}%" for each in _each(value))


def _each(value: float | Sequence[float]) -> Sequence[float]:
    return value if isinstance(value, tuple | list) else (value,)


@dataclass(frozen=True, kw_only=True)
class Lengths(evaluate.Config):
    """Options with defaults of the scenario; a base class, so that help lists `Config`'s first."""

    policies: tuple[str, ...] = option_again(evaluate.Config, "policies", (*HybridStorage.baselines, *AGENTS))
    steps: int = option_again(evaluate.Config, "steps", words=WORDS)
    context_steps: int = option_again(evaluate.Config, "context_steps", words=WORDS)


@dataclass(frozen=True, kw_only=True)
class Config(Lengths):
    """Options of `pmtwin evaluate hybrid-storage`."""

    scenario: HybridStorage
    replaced: ClassVar[tuple[str, ...]] = ("fast",)
    everyday: ClassVar[tuple[str, ...]] = (*evaluate.Config.everyday, "fast")
    fast: float | tuple[float, ...] = option(
        HybridOptions.fast,
        "capacity of the first device, in percent of the pages, or several: .1%,1%,10%; each further device but the "
        "last doubles it",
        metavar="P[,P...]", parse=_percents, written=_written, words="+",
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        values = self.capacities
        if len(set(values)) < len(values):
            raise InputError("fast", _written(values), "each percentage once")
        for name in ("report", "series"):
            if len(values) > 1 and getattr(self, name):
                reason = f"does not go with several values of --fast ({_written(values)}); give one of them"
                raise ConflictError(name, getattr(self, name), reason)

    @property
    def capacities(self) -> Sequence[float]:
        """The values of `fast`."""
        return _each(self.fast)

    def of_capacity(self, fast: float) -> Config:
        """The configuration with one value of `fast`, which writes no file."""
        options = self.scenario.options
        scenario = type(self.scenario)(replace(options, storage=replace(options.storage, fast=fast)))
        return replace(self, scenario=scenario, fast=fast, output=None)

    def without_use(self):
        """Seeds go with every trace: whether a policy draws random numbers is not for the user to know."""
        return {name: reason for name, reason in super().without_use().items() if name not in ("seeds", "seed")}

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        fast = given.get("fast", HybridOptions.fast)
        of_scenario = super().of_scenario
        several = [of_scenario(scenario, {**values, "fast": each}, given) for each in _each(fast)]
        if not several:
            raise InputError("fast", [], "a percentage or more")
        entries = several[0]
        system = entries["scenario"]
        if not isinstance(system, HybridStorage):
            return entries
        from pmtwin.scenarios.hybrid_storage.system import measured_windows

        windows = measured_windows(system.options)
        contexts = 1 if system.options.trace else len(given.get("contexts") or system.contexts.names)
        of_context = given.get("context_steps", windows)
        steps = of_context * contexts if isinstance(of_context, int) else windows
        usual = {"steps": steps} | ({} if system.options.trace else {"context_steps": windows})
        return {name: value for name, value in usual.items() if name not in given} | entries


def run(config: Config) -> int:
    """Evaluate and print; returns 0."""
    if config.dry_run:
        return evaluate.run(config)
    result_of(config).print(config.json)
    return 0


def result_of(config: Config) -> Result:
    """The result for one capacity, or for several side by side."""
    if len(config.capacities) == 1:
        return _of_one(config)
    if config.output:
        check_output(config.output, "--output", EVALUATION, config.force)
    several = {_written(fast): _of_one(config.of_capacity(fast)) for fast in config.capacities}
    result = _together(several) | {"configuration": {"arguments": arguments(config)}}
    if config.output:
        write_text(config.output, json_text(result), "--output")
    rows = [{"fast": fast, **row} for fast, each in several.items() for row in each["leaderboard"]]
    return Result(result, lambda: _print_together(result, several, config.details), lambda: rows)


def _of_one(config: Config) -> Result:
    result = evaluate.result_of(config)

    def show() -> None:
        result.show()
        print()
        print_beside(result)

    return Result(dict(result), show, lambda: result["leaderboard"])


def _together(several: Mapping[str, Result]) -> dict:
    """The results by capacity, and what is read most: name -> capacity -> value."""
    first = next(iter(several.values()))
    head = {name: first[name] for name in ("schema_version", "scenario", "engine")} | {"version": __version__}
    specs = list(first["policies"])
    over = {
        spec: {fast: result["over_fast_only"]["overall"][spec]["mean"] for fast, result in several.items()}
        for spec in specs
    }
    result = {**head, "fast": list(several), "mean_over_fast_only": over}
    if all(OPTIMUM in each for each in several.values()):
        result[OPTIMUM] = {fast: each[OPTIMUM] for fast, each in several.items()}
        result["optimum_kind"] = first["optimum_kind"]
        closed = {fast: each.get("gap_closed", {}) for fast, each in several.items()}
        result["gap_closed"] = {
            spec: {fast: shares[spec] for fast, shares in closed.items() if spec in shares} for spec in specs
        }
    return result | {"by_fast": {fast: dict(each) for fast, each in several.items()}}


def _print_together(result: dict, several: Mapping[str, Result], details: bool) -> None:
    """A column for each capacity; with details all tables of each."""
    for fast, each in several.items() if details else ():
        print(f"--fast {fast}", end="\n\n")
        each.show()
        print()
    rows = [(shown_as(OPTIMUM, result), *map(rounded, result[OPTIMUM].values()))] if OPTIMUM in result else []
    rows += [(spec, *map(rounded, values.values())) for spec, values in result["mean_over_fast_only"].items()]
    print_table(rows, ("x Fast-Only", *several))
    closed = {spec: shares for spec, shares in result.get("gap_closed", {}).items() if shares}
    if closed:
        print()
        rows = [(spec, *("-" if shares.get(fast) is None else percent(shares[fast]) for fast in several))
                for spec, shares in closed.items()]  # fmt: skip
        print_table(rows, (shown_as("gap closed", result), *several))
    print_text("mean latency over that of all pages on the first device (--details: the tables of each capacity)")
