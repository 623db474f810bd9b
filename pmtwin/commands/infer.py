"""Infer the model's parameters that nobody measured, from what is published or from a user's own measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from pmtwin.config.next_command import next_line, scenario_words
from pmtwin.config.record import arguments
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.shared import DryRun, Parallel, Printed, Replacing, Seeded
from pmtwin.console.output import message, print_json
from pmtwin.console.overwrite_guard import HOST, check_output
from pmtwin.console.progress import progress
from pmtwin.inference.side import inference_side
from pmtwin.scenarios.capabilities.required import PRIORS, Capability
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.sim.files.writing import write_json
from pmtwin.sim.host.file import MOST_HOSTS
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.inference.problem import Problem

DESCRIPTION = """Infers model parameters that nobody measured. Draws from priors are simulated, an emulator is fitted to
these simulations, and draws from the emulator's posterior are simulated again. The output is a host file with joint
draws, for --host and --host-samples of other commands. Without --evidence the evidence is the published tables of the
scenario. The command resumes after a kill."""


@dataclass(frozen=True, kw_only=True)
class Config(ScenarioConfig, Seeded, Parallel, Printed, DryRun, Replacing):
    """Options of `pmtwin infer`."""

    command: ClassVar[str] = "infer"
    everyday: ClassVar[tuple[str, ...]] = ("output", "evidence", "only", "draws", "jobs", "seed", "json", "dry_run")
    scenario_optional: ClassVar[bool] = True
    requires: ClassVar[Mapping[Capability, str]] = MappingProxyType({PRIORS: "infer updates"})
    output: Path | None = option(None, "host file to write (JSON)", short="-o", metavar="FILE", recorded=False)
    evidence: Path | None = option(
        None,
        "measurements (CSV or TOML) with columns {context}, {setting}, measure, statistic, value and tolerance_percent "
        "(or low and high); default: the published tables",
        metavar="FILE",
    )
    only: tuple[str, ...] = option((), "parameters to infer (default: all with a prior)", metavar="NAME")
    without: tuple[str, ...] = option(
        (), "evidence that is not used but predicted, such as 'Table D.6'", metavar="SOURCE"
    )
    draws: int = option(
        1200, "number of simulated draws; the last quarter is the posterior", low=32, high=1_000_000, metavar="N"
    )
    samples: int = option(300, "number of joint draws in the output file", low=1, high=MOST_HOSTS, metavar="N")
    windows: int = option(24, "windows per setting of --evidence", low=4, high=100_000, metavar="N")
    checkpoint_dir: Path | None = option(
        None,
        "checkpoint folder, from which an interrupted run resumes (default: FILE.checkpoint)",
        metavar="DIR",
        recorded=False,
    )

    def without_use(self) -> Mapping[str, str]:
        """Without measurements, how these are simulated."""
        return {**super().without_use(), **({} if self.evidence else {"windows": "belongs to --evidence; add that"})}

    def scenario_without_use(self) -> Mapping[str, str]:
        """Beside what the scenario says, what the inference says."""
        idle = inference_side(self.scenario).options_without_use(self.evidence is not None)
        return {**super().scenario_without_use(), **idle}

    def problem(self) -> Problem:
        """Priors, evidence and simulator.

        Raises:
            InputError: for a scenario that has none, a parameter without a prior, evidence that is no evidence,
                or a source that is none of it.
        """
        from pmtwin.inference.problem import problem_of

        return problem_of(self.scenario, self.evidence, self.only, self.windows).without(self.without)


def run(config: Config) -> int:
    """Infer, write the file and print what is identified and what is missed; returns 0."""
    from pmtwin.calibrate.inference.posterior import Posterior
    from pmtwin.calibrate.inference.run import Plan, infer
    from pmtwin.inference.document import host_document
    from pmtwin.inference.report import print_inference, print_plan

    problem, plan = config.problem(), Plan(draws=config.draws, seed=config.seed)
    if config.output is not None:
        check_output(config.output, "--output", HOST, config.force)
    if config.dry_run:
        print_plan(problem, plan, config.json)
        return 0
    if config.output is None:
        raise InputError("--output", None, "a file to write, or --dry-run")
    folder = config.checkpoint_dir or config.output.with_name(f"{config.output.name}.checkpoint")
    checkpoint = Checkpoint(folder, problem.identity() | {"draws": config.draws, "seed": config.seed}, "pmtwin infer")
    try:
        with progress(desc="infer", total=config.draws, unit="draw") as bar:
            draws = infer(
                problem.priors, problem.statements, problem.simulator, plan, config.jobs, checkpoint, bar.update
            )
    except KeyboardInterrupt:
        message(f"pmtwin infer: stopped; the same command goes on from {folder}")
        raise
    posterior = Posterior(problem.priors, problem.statements, draws)
    context = {"evidence": problem.source, "arguments": arguments(config), "simulated": problem.simulator.identity()}
    document = host_document(posterior, config.samples, config.seed, context, problem)
    write_json(config.output, document, "--output")
    checkpoint.remove()
    if config.json:
        print_json({name: document[name] for name in ("format", "version", "context", "parameters", "inference")})
    else:
        print_inference(document)
    message(next_command(config))
    return 0


def next_command(config: Config) -> str:
    """The line of the command that simulates the inferred hosts, under the conditions of the evidence."""
    inferred = ("host", "host_samples", "host_seed", "parameters")
    words = scenario_words(config.scenario, without=inferred)
    return next_line("simulate", *words, "--host", config.output, "--host-samples", 20)
