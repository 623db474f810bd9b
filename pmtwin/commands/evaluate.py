"""Set policies against one another over a schedule of contexts and several seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pmtwin import __version__
from pmtwin.config.nouns import flag_of, noun_of
from pmtwin.config.record import facts, plan_table, run_record
from pmtwin.config.rules import RulesConfig
from pmtwin.config.shared import DryRun, Parallel, Printed, Replacing, Seeded
from pmtwin.config.validity_warnings import ValidityConfig, validity_exit_code
from pmtwin.console.output import json_text, message, print_json, print_table, print_text
from pmtwin.console.overwrite_guard import EVALUATION, SERIES, check_output, check_report
from pmtwin.console.progress import progress
from pmtwin.evaluation.notes import known_device
from pmtwin.evaluation.results import Result
from pmtwin.figures.drawing.style import styled
from pmtwin.scenarios.comparison.options import FROZEN, EvaluationOptions
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import ConflictError
from pmtwin.sim.files.writing import write_text
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.scenarios.comparison.evaluation import EvaluationPlan


@dataclass(frozen=True, kw_only=True)
class Config(RulesConfig, ValidityConfig, EvaluationOptions, Seeded, Parallel, Printed, DryRun, Replacing):
    """Options of `pmtwin evaluate`."""

    command: ClassVar[str] = "evaluate"
    scenario_optional: ClassVar[bool] = True
    everyday: ClassVar[tuple[str, ...]] = (
        "policies",
        "goal",
        "output",
        "report",
        "details",
        "contexts",
        "steps",
        "warmup_windows",
        "context_steps",
        "seeds",
        "seed",
        "jobs",
        "json",
    )
    output: Path | None = option(None, "file for the result (JSON)", short="-o", metavar="FILE", recorded=False)
    report: Path | None = option(
        None,
        "folder for an HTML page: ranking, attainment over time, regret, differences",
        metavar="DIR",
        recorded=False,
    )
    details: bool = option(
        False, "print every table: regret, reward and measures by context, tails, pairs of policies", recorded=False
    )
    series: Path | None = option(
        None, "file for every window of every run, as arrays", metavar="FILE.npz", recorded=False
    )

    def without_use(self):
        """Seeds, where nothing is random."""
        from pmtwin.policies import make_policy
        from pmtwin.scenarios.comparison.evaluation import draws

        reasons = super().without_use()
        if self.scenario.draws or any(draws(self.scenario, make_policy(spec, self.scenario)) for spec in self.policies):
            return reasons
        return {**reasons, **dict.fromkeys(("seeds", "seed"), "has no use: no policy draws random numbers; remove it")}

    def scenario_without_use(self) -> Mapping[str, str]:
        """As the scenario declares for the contexts that run."""
        return self.scenario.options_without_use_in(self.contexts)

    def plan(self) -> EvaluationPlan:
        """What is run.

        Raises:
            InputError: for a value that the scenario does not accept.
        """
        from pmtwin.scenarios.comparison.evaluation import EvaluationPlan

        return EvaluationPlan(
            scenario=self.scenario,
            policies=self.policies,
            schedule=self.schedule,
            steps=self.steps,
            warmup_windows=self.warmup_windows,
            context_steps=self.context_steps,
            seeds=self.seeds,
            seed=self.seed,
            contexts=self.contexts,
            learning=self.learning,
            rules=self.action_rules,
        )


def run(config: Config) -> int:
    """Evaluate and print; returns 0, or 1 if too many windows of a real system have a validity warning."""
    if config.dry_run:
        from pmtwin.scenarios.comparison.evaluation import checked_modes

        plan = _checked_plan(config)
        checked_modes(plan)
        _warn_of_one_context(plan)
        _print_plan(plan, config)
        return 0
    result = result_of(config)
    result.print(config.json)
    return validity_exit_code(result["validity_warnings"])


def _checked_plan(config: Config) -> EvaluationPlan:
    """The plan, its policies and output files checked."""
    plan = config.plan()
    _check_learning(plan)
    for path, name, kind in ((config.output, "--output", EVALUATION), (config.series, "--series", SERIES)):
        if path:
            check_output(path, name, kind, config.force)
    if config.report:
        from pmtwin.report.evaluation import FILES

        check_report(config.report, config.command, config.force, FILES)
    return plan


def _check_learning(plan: EvaluationPlan) -> None:
    """Say which policies were trained for something else.

    Raises:
        ConflictError: learning is to be frozen, and no policy learns.
    """
    from pmtwin.policies import make_policy

    learns = False
    for spec in plan.policies:
        policy = make_policy(spec, plan.scenario)
        for each in (policy, *policy.inline.values()):
            learns |= each.learns_in_a_run()
            origin = getattr(each, "origin", None)  # a user's policy may call something else so
            for difference in plan.scenario.differences_in_training(origin) if isinstance(origin, Mapping) else ():
                message(f"warning: policy {spec if each is policy else each.spec} was trained for {difference}")
    if plan.learning == FROZEN and not learns:
        rule = "does not go with policies none of which learns inside the simulation; remove it"
        raise ConflictError("learning", plan.learning, rule)


def _warn_of_one_context(plan: EvaluationPlan) -> None:
    """Say that a run is too short to see more than one context."""
    if len(plan.contexts) > 1 and plan.steps <= plan.context_steps:
        flag = flag_of(noun_of("context_steps", type(plan.scenario)))
        message(
            f"warning: --steps {plan.steps} is not above {flag} {plan.context_steps}: "
            f"each run sees one {plan.scenario.contexts.noun} of {len(plan.contexts)}"
        )


def result_of(config: Config) -> Result:
    """Evaluate, and write the files that the configuration names."""
    from pmtwin.evaluation.tables import print_tables
    from pmtwin.scenarios.comparison.evaluation import evaluate
    from pmtwin.scenarios.comparison.series import write_series
    from pmtwin.scenarios.comparison.summary import summarise

    plan, scenario = _checked_plan(config), config.scenario
    evaluation = evaluate(plan, 1 if scenario.sequential else config.jobs, _progress)
    _warn_of_one_context(plan)  # after the work: an error stays a single line
    result = _head(plan) | summarise(evaluation, config.warned_share)
    result |= scenario.results_beside(evaluation)
    result["extrapolated"] &= scenario.rests_on_profile()
    result["configuration"] |= run_record(config)
    if config.series:
        write_series(config.series, evaluation)
    if config.report:
        from pmtwin.report.evaluation import write_evaluation

        with styled():
            page = write_evaluation(evaluation, result, config.report, facts(scenario, plan.contexts))
        message(f"report: {page}")
    if config.output:
        write_text(config.output, json_text(result), "--output")
    setup = scenario.setup(plan.contexts)
    return Result(result, lambda: print_tables(result, scenario, setup, config.details), lambda: result["leaderboard"])


def _head(plan: EvaluationPlan) -> dict:
    """What makes the run repeatable."""
    return {
        "schema_version": 1,
        "scenario": plan.scenario.name,
        "version": __version__,
        "engine": plan.scenario.engine,
        "goals": [str(goal) for goal in plan.scenario.goals],
        "known_device": known_device(plan.scenario),
        "configuration": plan.record(),
    }


@results()
def _print_plan(plan: EvaluationPlan, config: Config) -> None:
    value = _head(plan) | {"windows": plan.windows()}
    if config.json:
        value["configuration"] |= run_record(config)
        print_json(value)
    else:
        known, setup = value.pop("known_device"), plan.scenario.setup(plan.contexts)
        print_table(plan_table(value | value["configuration"], plan.scenario, config, setup=setup).items())
        if known:
            print_text(known)
        print("(--json: the whole configuration)")


def _progress(description: str, total: int, results: Iterator):
    """A bar or lines on standard error."""
    return progress(results, desc=description, total=total, unit="run")
