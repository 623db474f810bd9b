"""Train a policy for every combination of listed options: seeds, hyperparameters, contexts, hosts, devices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pmtwin.config.shared import CommandConfig, DryRun, Parallel, Printed
from pmtwin.console.output import about_now, message, print_json, print_table
from pmtwin.console.progress import progress
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option
from pmtwin.sweep.plan import read_plan
from pmtwin.training.cluster import BACKENDS, workers_of

EXAMPLES = ("pmtwin sweep plan.toml -o runs --dry-run", "pmtwin sweep plan.toml -o runs --jobs 2")


@dataclass(frozen=True, kw_only=True)
class Config(Parallel, Printed, DryRun, CommandConfig):
    """Options of `pmtwin sweep`."""

    command: ClassVar[str] = "sweep"
    runs_user_code: ClassVar[bool] = True
    plan: Path = option(
        help="plan (TOML): options of pmtwin train, and a table [vary] with a list for each varied option, such as "
        "seed = [0, 1, 2]",
        positional=True,
        metavar="PLAN",
    )
    output: Path = option(
        help="output folder: a folder for each run, summary.csv, summary.json, and learning curves",
        short="-o",
        metavar="DIR",
        recorded=False,
    )
    backend: str = option(
        "processes",
        "parallel backend: processes (this machine), or dask (a cluster whose workers see the output folder)",
        choices=BACKENDS,
        metavar="KIND",
        recorded=False,
    )
    scheduler: str | None = option(
        None, "address of the Dask scheduler, for --backend dask", metavar="ADDRESS", recorded=False
    )

    def __post_init__(self):
        super().__post_init__()
        if (self.scheduler is None) == (self.backend == "dask"):
            if self.scheduler is None:
                raise InputError("scheduler", None, "an address for --backend dask, such as tcp://host:8786")
            raise ConflictError(
                "scheduler", self.scheduler, "belongs to --backend dask; add that, or remove this option"
            )


def run(config: Config) -> int:
    """Train all runs and print the summary; returns 0.

    Raises:
        InputError: for a plan that is not accepted, before anything runs.
        MissingDependencyError: if the backend is not installed, or its scheduler does not answer.
    """
    from pmtwin.sweep.duration import seconds_of_all
    from pmtwin.sweep.running import checked, prepare, run_all, write_summary

    plan = read_plan(config.plan)
    if config.dry_run:
        runs = checked(plan, config.output)
        rows = [{"run": run.name, **run.values} for run in runs]
        with workers_of(config.backend, config.scheduler, config.jobs) as workers:
            seconds = seconds_of_all(plan, runs, workers)
        _print_plan(rows, seconds, config)
        return 0
    runs = prepare(plan, config.output)
    bar = progress(desc="runs", total=len(runs), unit="run")
    with workers_of(config.backend, config.scheduler, config.jobs) as workers, bar:
        try:
            rows = run_all(runs, workers, bar.update)
        except KeyboardInterrupt:
            message(f"pmtwin sweep: stopped; the same command goes on from {config.output}")
            raise
    write_summary(runs, rows, config.output)
    _print(rows, config)
    return 0


@results()
def _print_plan(rows: list[dict], seconds: float | None, config: Config) -> None:
    if config.json:
        print_json({"runs": rows, "about_seconds": None if seconds is None else float(f"{seconds:.2g}")})
        return
    _print_rows(rows)
    print(f"\nduration: {about_now(seconds)}" if seconds != 0.0 else "\nall are trained")


@results()
def _print(rows: list[dict], config: Config) -> None:
    if config.json:
        print_json({"runs": rows})
    else:
        _print_rows(rows)


def _print_rows(rows: list[dict]) -> None:
    hidden = ("policy", "policy_sha256")
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in hidden]
    print_table([[row.get(name) for name in names] for row in rows], names)
