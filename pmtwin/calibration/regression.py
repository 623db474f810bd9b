"""`pmtwin calibrate --form`: a regression file from a table of runs."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin import __version__
from pmtwin.calibrate.regression.runs import read_runs
from pmtwin.config.record import arguments
from pmtwin.console.output import message, print_json, print_table
from pmtwin.console.overwrite_guard import REGRESSION, check_output
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.files.writing import write_json
from pmtwin.sim.regression.file import Regression, load_regression
from pmtwin.sim.regression.formula import Formula

if TYPE_CHECKING:
    from pmtwin.calibration.config import Config


def run_form(config: Config, form: str) -> None:
    """Read and fit the runs, print the table of estimates with errors, write the file.

    Args:
        config: the options.
        form: regression or mechanistic.

    Raises:
        InputError: for no formula, runs that do not fit the formula, or an output file that exists.
    """
    from pmtwin.calibrate.regression.fitting import fit

    formula, units = _formula(config, form)
    if config.output:
        check_output(config.output, "--output", REGRESSION, config.force)
    columns = read_runs(config.sources, formula)
    if config.dry_run:
        _print_plan(config, form, formula, len(columns[formula.response]))
        return
    command = _command(config, form, formula)
    regression = fit(config.called, form, formula, columns, config.folds, config.seed, units, command)
    hashes = [
        {"name": Path(path).name, "sha256": hashlib.sha256(content_of(path, "sources")).hexdigest()}
        for path in config.sources
    ]
    regression.record |= {"sources": hashes, "version": __version__}
    if config.output:
        write_json(Path(config.output), regression.document(), "--output")
    _print(config, regression)
    message(f"regression: {config.output}" if config.output else "nothing was written: -o FILE keeps the regression")


def _formula(config: Config, form: str) -> tuple[Formula, dict[str, str]]:
    """(formula of the fit, column -> unit for columns with known units)."""
    if config.formula:
        if config.like:
            raise ConflictError("--like", config.like, "does not go with --formula; remove one of the two")
        return Formula(config.formula), {}
    if not config.like:
        raise InputError("--formula", None, "a formula, or --like REGRESSION")
    regression = load_regression(config.like)
    units = {name: variable.unit for name, variable in regression.variables.items()}
    units[regression.response] = regression.unit
    if form == regression.form:
        return Formula(regression.formula), units
    if not regression.mechanism:
        raise InputError("--like", config.like, f"a regression with a formula of form {form}, or --formula")
    return Formula(regression.mechanism), units


def _command(config: Config, form: str, formula: Formula) -> str:
    words = ["pmtwin", "calibrate", *(Path(source).name for source in config.sources), "--form", form]
    return shlex.join([*words, "--formula", formula.text, "--folds", str(config.folds), "--seed", str(config.seed)])


def _print_plan(config: Config, form: str, formula: Formula, runs: int) -> None:
    plan = {"form": form, "formula": formula.text, "terms": list(formula.terms), "runs": runs}
    if config.json:
        print_json(plan)
        return
    print_table([(name, ", ".join(value) if isinstance(value, list) else value) for name, value in plan.items()],
                ("would fit", ""))  # fmt: skip


def _print(config: Config, regression: Regression) -> None:
    if config.json:
        print_json(regression.document() | {"output": config.output, "configuration": {"arguments": arguments(config)}})
        return
    rows = [(name, term.estimate, term.standard_error, term.t, term.p) for name, term in regression.terms.items()]
    print_table(rows, ("term", "estimate", "standard error", "t", "p"))
    unit = regression.unit
    header = ("error", f"root mean square, {unit}", "median %", "90th percentile %", "not above 0")
    print()
    print_table([(name, *each.values()) for name, each in regression.record["errors"].items()], header)
    aic = "" if regression.aic is None else f"; AIC {regression.aic:.1f}"
    print(f"\n{regression.runs:,} runs, {regression.record['folds']}-fold cross-validation{aic}")
