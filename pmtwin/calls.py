"""Commands as Python functions, with keyword arguments for options, and a `Result` instead of text.

Keywords are the keys of `--config` files (`pmtwin.config.files`): the long options with `_` for `-`. Options of a
scenario have the scenario's nouns as names, as on the command line.
"""

from __future__ import annotations

import importlib
from typing import Any

from pmtwin.config.keywords import keyword_configuration
from pmtwin.console.output import message
from pmtwin.evaluation.results import Result
from pmtwin.scenarios.registry import DEFAULT
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.files.input_file import one_reader


def simulate(scenario: str = DEFAULT, /, **options: Any) -> Result:
    """Simulate a setting in a context, as `pmtwin simulate`; the table has a row for the reward and for each measure.

    Args:
        scenario: name, or `FILE.py:NAME`.
        **options: such as `context=1, setting=(10, 10), windows=100, seed=0`.

    Raises:
        InputError: for a keyword or value that the command does not accept.
    """
    return _called("simulate", scenario, options)


def evaluate(scenario: str = DEFAULT, /, **options: Any) -> Result:
    """Compare policies, as `pmtwin evaluate`; the table is the leaderboard.

    Args:
        scenario: name, or `FILE.py:NAME`.
        **options: such as `policies=["threshold", "fixed:15,15"], seeds=3, steps=400`.

    Raises:
        InputError: for a keyword or value that the command does not accept.
    """
    return _called("evaluate", scenario, options)


def recommend(scenario: str = DEFAULT, /, **options: Any) -> Result:
    """Search the best fixed setting for a load, as `pmtwin recommend`; the table has it and the other finalists.

    Args:
        scenario: name, or `FILE.py:NAME`.
        **options: such as `context=2, seed=0`.

    Raises:
        InputError: for a keyword or value that the command does not accept.
    """
    return _called("recommend", scenario, options)


def predict(points: str | None = None, /, **options: Any) -> Result:
    """Predict accesses or key-value operations, as `pmtwin predict`; the table has a row for each point.

    Args:
        points: CSV file; None: one point, given by keywords.
        **options: such as `operation="load", pattern="random", size="4KiB", threads=8, profile="my-device.json"`.

    Raises:
        InputError: for a keyword or value that the command does not accept.
    """
    return _called("predict", None, options if points is None else {"points": points, **options})


def _called(command: str, scenario: str | None, options: dict[str, Any]) -> Result:
    module = importlib.import_module(f"pmtwin.commands.{command}")
    compiling.announce(message)
    with one_reader():
        module, config, door = keyword_configuration(module, scenario, options)
        with door.renaming():
            return module.result_of(config)
