"""One training of `pmtwin train`: checks before the run, the run with its checkpoint, and the files that it writes."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin import __version__
from pmtwin.config.record import run_record
from pmtwin.console.overwrite_guard import POLICY, TRAINING, Kind, check_output
from pmtwin.console.progress import progress as shown
from pmtwin.policies.grammar import split_points
from pmtwin.policies.registry import is_users, policy_class
from pmtwin.policies.training.versions import SCHEMA, versions
from pmtwin.sim.common.user_files import place_of
from pmtwin.sim.errors import FAILURES, InputError, PmtwinError, PolicyError
from pmtwin.sim.files.checkpoint import Checkpoint
from pmtwin.sim.files.writing import write_json, write_text
from pmtwin.training.cluster import workers_of

if TYPE_CHECKING:
    from pmtwin.training.config import Config


def planned(config: Config) -> dict:
    """What would be run, the files that it would leave, and about how long it takes."""
    check(config)
    return planned_training(config)


def trained(config: Config, progress: Callable | None = None) -> dict:
    """Train, and write the policy, its record and the training's tables; returns a summary for the user.

    Args:
        progress: function that shows progress, such as `policies.training.progress.quiet`; None: on standard error.
    """
    check(config)
    return run_training(config, progress)


def check(config: Config) -> None:
    """Raise errors that are known before the run: files that would be overwritten, a policy unfit for the scenario."""
    check_output(config.output, "--output", POLICY, config.force)
    check_output(config.record_path, "--output", TRAINING, config.force)
    training = config.training_of_policy
    if rules := config.action_rules:
        rules.check_start(config.scenario.initial_setting, config.scenario.initial_setting)
    for name, path in config.table_paths.items():
        table = training.tables[name]
        kind = Kind(f"the {table.title} of an earlier training", table.columns)
        check_output(path, "--output", kind, config.force)
    folder = config.checkpoint_folder
    parent = folder if folder.exists() else folder.parent
    if not (parent.is_dir() and os.access(parent, os.W_OK)):
        raise InputError("--checkpoint-dir", str(folder), "a folder that can be written, in an existing one")
    with users_code(config.policy):
        training.check(config.task)


def planned_training(config: Config) -> dict:
    """What would be run, the files that it would leave, and about how long it takes."""
    training, task = config.training_of_policy, config.task
    files = {"policy": config.output, "record": config.record_path, "checkpoint": config.checkpoint_folder}
    written = {name: str(path) for name, path in (files | config.table_paths).items()}
    seconds = None
    if not config.scenario.sequential:  # on a real system nothing is timed
        with workers_of(config.backend, config.scheduler, config.jobs) as workers, users_code(config.policy):
            seconds = training.seconds(task, workers)
    about = None if seconds is None else float(f"{seconds:.2g}")
    with users_code(config.policy):
        preview = training.preview(task)
    return {**_origin(config), "files": written, **preview, "about_seconds": about}


def run_training(config: Config, progress: Callable | None = None) -> dict:
    """Train, and write the files; returns a summary for the user.

    Args:
        progress: see `trained`.
    """
    training, task, origin, began = config.training_of_policy, config.task, _origin(config), time.monotonic()
    with users_code(config.policy):
        plan = training.plan(task)
    identity = {"schema": SCHEMA, "origin": origin, "plan": plan, "versions": versions(), **_contents(config)}
    with workers_of(config.backend, config.scheduler, config.jobs) as workers:
        checkpoint = Checkpoint(config.checkpoint_folder, identity)
        try:
            workers = 1 if config.scenario.sequential else workers
            with users_code(config.policy):
                result = training.run(task, checkpoint, workers, progress or shown)
        except PmtwinError:
            if checkpoint.is_empty():
                checkpoint.remove()
            raise
    seconds = round(time.monotonic() - began, 1)
    with users_code(config.policy):
        result.save(config.output, origin={**origin, "plan": plan})
    run = run_record(config)
    configuration = {"arguments": run.pop("arguments")}
    record = {"schema": SCHEMA, "origin": origin | run, "plan": plan, "seconds": {"training": seconds}}
    record |= {"versions": versions(), **result.record, "configuration": configuration}
    write_json(config.record_path, record, "--output")
    for name, path in config.table_paths.items():
        write_text(path, result.tables[name], "--output")
    if not config.keep_checkpoint:
        checkpoint.remove()
    files = {"policy": config.output, "record": config.record_path, **config.table_paths}
    summary: dict[str, object] = {"policy_name": config.policy, **{name: str(path) for name, path in files.items()}}
    summary |= {"scenario": config.scenario.name, "seed": config.seed, **result.summary}
    usual = {"seconds": seconds, "resumed": list(result.resumed), **({"spec": result.spec} if result.spec else {})}
    return summary | {name: value for name, value in usual.items() if name not in summary}


@contextmanager
def users_code(policy: str) -> Iterator[None]:
    """Context manager: reports an error in a user's training as one line that names the place."""
    try:
        yield
    except PmtwinError:
        raise
    except FAILURES as error:
        if not is_users(policy):
            raise
        reason = f"{type(error).__name__}: {error}"
        raise PolicyError(policy, "training", None, place_of(error), reason) from error


def _contents(config: Config) -> dict:
    """Digests of the files that the run depends on: a checkpoint with different digests is refused.

    Returns:
        `source`: digest of the files of users' policies and trainings; `scenario`: of a user's scenario; `files`: of
            the files that policies start from. Keys without files are absent.
    """
    training, parts = config.training_of_policy, [part for _, part in split_points(config.policy)] or [config.policy]
    classes = [type(training), *(policy_class(part, None) for part in parts if is_users(part))]
    sources = [source for cls in classes for source in _sources(cls)]
    digests = {
        "source": _digest(sources),
        "scenario": _digest(_sources(type(config.scenario))),
        "files": {path: _digest([path]) for path in training.files(config.task)},
    }
    return {name: value for name, value in digests.items() if value}


def _sources(cls: type) -> list[str]:
    """Source files of a class and its bases, without those of pmtwin and of Python."""
    modules = {each.__module__ for each in cls.__mro__}
    outside = sorted(name for name in modules if name.split(".")[0] not in {"pmtwin", *sys.stdlib_module_names})
    return [file for name in outside if (file := getattr(sys.modules[name], "__file__", None))]


def _digest(paths: Iterable[str]) -> str:
    """Digest of the contents of files, each counted once; empty without files."""
    contents = [Path(path).read_bytes() for path in dict.fromkeys(paths)]
    return hashlib.sha256(b"".join(contents)).hexdigest() if contents else ""


def _origin(config: Config) -> dict:
    """Origin of a trained policy (scenario, options, seed, ...), as plain values."""
    rules = config.action_rules
    return {
        "scenario": config.scenario.name,
        "policy": config.policy,
        **config.scenario.origin(),
        "seed": config.seed,
        "version": __version__,
        **config.training_of_policy.origin(),
        "environment": config.scenario.record(),
        **({} if rules is None else {"rules": rules.record()}),
    }
