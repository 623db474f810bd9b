"""Train a policy in the twin of a scenario, with checkpoints, a record of the run, and resumption."""

from __future__ import annotations

from pmtwin.console.output import message, print_json
from pmtwin.training.config import Config
from pmtwin.training.summary import print_planned, print_training

__all__ = ["Config", "run"]


def run(config: Config) -> int:
    """Train and print a summary; returns 0.

    Raises:
        MissingDependencyError: if the backend is not installed, or its scheduler does not answer.
    """
    from pmtwin.training.run import planned, trained

    show = print_planned if config.dry_run else print_training
    try:
        result = planned(config) if config.dry_run else trained(config)
    except KeyboardInterrupt:
        if config.checkpoint_folder.exists():
            message(f"pmtwin train: stopped; the same command goes on from {config.checkpoint_folder}")
        raise
    if config.json:
        print_json(result)
    else:
        show(result, config)
    for warning in config.training_of_policy.warnings(config.task):  # after the work: an error stays a single line
        message(f"warning: {warning}")
    return 0
