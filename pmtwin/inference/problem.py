"""What is inferred, from what: the scenario's published evidence, or a user's own."""

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
    """Args:
    priors, statements, simulator: as `pmtwin.calibrate.inference.run.infer` takes them.
    source: where the statements are from.
    known: parameters that somebody gave.
    taken: number of a joint sample, or None -> parameters that are known from another inference.
    """

    priors: Priors
    statements: tuple[Statement, ...]
    simulator: Simulator
    source: str
    known: Mapping[str, float]
    taken: Callable[[int | None], Mapping[str, float]]

    def without(self, sources: tuple[str, ...]) -> Problem:
        """The same, with the statements of some sources looked at and not used.

        Raises:
            InputError: a source of no statement that is used, or all of them.
        """
        used = list(dict.fromkeys(each.source for each in self.statements if each.weighs))
        for source in sources:
            if source not in used:
                raise unknown_name("--without", source, used)
        if set(used) == set(sources):
            raise InputError("--without", ", ".join(sources), "not all of the evidence")
        left = [each.checked() if each.weighs and each.source in sources else each for each in self.statements]
        return replace(self, statements=tuple(left))

    def identity(self) -> dict:
        """Plain values that determine the result."""
        return {
            "priors": [vars(prior) for prior in self.priors.table],
            "statements": [{name: _plain(value) for name, value in vars(each).items()} for each in self.statements],
            "simulator": self.simulator.identity(),
        }


def problem_of(scenario: Scenario, evidence: Path | None, parameters: tuple[str, ...], windows: int) -> Problem:
    """The problem of a scenario.

    Args:
        evidence: a user's own measurements. parameters: names of those that are inferred; empty: all with a prior.
        windows: of each setting of the user's evidence.

    Raises:
        InputError: for a scenario without priors, a parameter without one, or a file that is no evidence.
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
    return Priors(tuple(each for each in priors.table if not parameters or each.name in parameters or each.nuisance))


def _plain(value: object) -> object:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
