"""What `pmtwin train` runs and leaves behind where a policy is trained under drawn conditions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pmtwin.cluster import workers_of
from pmtwin.config.record import run_record
from pmtwin.output import message
from pmtwin.sim.options import plain

if TYPE_CHECKING:
    from pmtwin.commands.train import Config


def practice_plan(config: Config) -> dict:
    """What is run, as plain values."""
    training = config.chosen
    return {**plain(training), "windows": training.windows(), "contexts": list(config.scenario.trained_contexts)}


def practice_trained(config: Config, origin: dict, progress: Callable | None) -> dict:
    """Train, and write the policy and its record; what a user wants to know at once.

    Args:
        origin: where the policy comes from. progress: as in `pmtwin.commands.train.trained`.
    """
    from pmtwin.policies.training.record import SCHEMA, versions
    from pmtwin.practice import practice_of
    from pmtwin.progress import progress as shown
    from pmtwin.sim.checkpoint import Checkpoint
    from pmtwin.sim.files import write_json

    scenario, plan, began = config.scenario, practice_plan(config), time.monotonic()
    practice = practice_of(scenario)
    identity = {"schema": SCHEMA, "origin": origin, "plan": plan, "versions": versions()}
    with workers_of(config.backend, config.scheduler, config.jobs) as workers:
        checkpoint = Checkpoint(config.checkpoint_folder, identity)
        try:
            jobs = 1 if scenario.sequential else workers
            running = {"checkpoint": checkpoint, "workers": jobs, "progress": progress or shown}
            outcome = config.chosen.train(practice, config.policy, config.seed, **running)
        except KeyboardInterrupt:
            message(f"pmtwin train: stopped; the same command goes on from {config.checkpoint_folder}")
            raise
    seconds = round(time.monotonic() - began, 1)
    outcome.save(config.output, origin={**origin, "plan": plan})
    record = run_record(config)
    configuration = {"arguments": record.pop("arguments")}
    record = {
        "schema": SCHEMA,
        "origin": origin | record,
        "plan": plan,
        "attainment": outcome.attainment,
        "seconds": {"training": seconds},
        "versions": versions(),
        "configuration": configuration,
    }
    write_json(config.record_path, record, "--output")
    if not config.keep_checkpoint:
        checkpoint.remove()
    return {
        "policy": str(config.output),
        "record": str(config.record_path),
        "scenario": scenario.name,
        "seed": config.seed,
        "plan": plan,
        "attainment": outcome.attainment,
        "seconds": seconds,
        "resumed": outcome.resumed,
    }
