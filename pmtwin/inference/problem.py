"""The problem of an inference: parameters, and evidence that is published for the scenario or measured by a user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pmtwin.calibrate.inference.priors import Priors, check_known
from pmtwin.calibrate.inference.run import Simulator
from pmtwin.calibrate.inference.statements import Statement
from pmtwin.inference.measured import read_measured
from pmtwin.inference.settings_simulator import SettingsSimulator
from pmtwin.inference.side import inference_side
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError, unknown_name


@dataclass(frozen=True)
class Problem:
    """Parameters to infer, and their evidence.

    Args:
        priors, statements, simulator: arguments of `pmtwin.calibrate.inference.run.infer`.
        source: source of the statements.
        known: parameters given by the user, name -> value.
        taken: function from the number of a joint sample, or None for its representative, to parameters from another
            inference.
    """

    priors: Priors
    statements: tuple[Statement, ...]
    simulator: Simulator
    source: str
    known: Mapping[str, float]
    taken: Callable[[int | None], Mapping[str, float]]

    def without(self, sources: tuple[str, ...]) -> Problem:
        """The problem with the statements of `sources` only checked against the result, not used for it.

        Raises:
            InputError: if one of `sources` is the source of no used statement, or no used statement is left.
        """
        used = list(dict.fromkeys(statement.source for statement in self.statements if statement.weighs))
        for source in sources:
            if source not in used:
                raise unknown_name("--without", source, used)
        if set(used) == set(sources):
            raise InputError("--without", ", ".join(sources), "not all of the evidence")
        statements = [
            statement.checked() if statement.weighs and statement.source in sources else statement
            for statement in self.statements
        ]
        return replace(self, statements=tuple(statements))

    def identity(self) -> dict:
        """Plain values that determine the result."""
        return {
            "priors": [vars(prior) for prior in self.priors.table],
            "statements": [{name: _plain(value) for name, value in vars(row).items()} for row in self.statements],
            "simulator": self.simulator.identity(),
        }


def problem_of(scenario: Scenario, evidence: Path | None, parameters: tuple[str, ...], windows: int) -> Problem:
    """The problem of a scenario.

    Args:
        scenario: the scenario, with its options.
        evidence: file of a user's measurements; None: the published evidence.
        parameters: names of the inferred parameters; empty: all with a prior.
        windows: number of windows of each case of the user's evidence.

    Raises:
        InputError: if the scenario has no inference, a parameter has no prior, or the file is not valid evidence.
    """
    side = inference_side(scenario)
    simulator: Simulator
    if evidence is None:
        priors, statements, source = _chosen(side.priors, parameters), side.evidence(), side.source()
        simulator = side.simulator(priors.names)
    else:
        measured = read_measured(evidence, scenario)
        priors, statements, source = _chosen(side.priors_of_measured(), parameters), measured.statements, evidence.name
        simulator = SettingsSimulator(side, measured.cases, windows)
    known = {name: value for name, value in side.known().items() if name not in priors.names}
    return Problem(priors, statements, simulator, source, known, lambda sample: side.taken(sample, priors.names))


def _chosen(priors: Priors, parameters: tuple[str, ...]) -> Priors:
    check_known("--only", parameters, priors.names)
    used = (prior for prior in priors.table if not parameters or prior.name in parameters or prior.nuisance)
    return Priors(tuple(used))


def _plain(value: object) -> object:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
