"""The runs of a sweep, each in its own folder, from which it can be repeated, or resumed after an interruption."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pmtwin.config.command_words import parsed_configuration
from pmtwin.policies.training.progress import quiet
from pmtwin.sim.common.processes import processes
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.files.writing import write_json, write_text
from pmtwin.sweep.curves import SHARE, curve_rows, write_curves
from pmtwin.sweep.plan import SweepPlan
from pmtwin.training.run import trained

ARGUMENTS, POLICY = "arguments.json", "policy.npz"


class SweepRun(NamedTuple):
    """One training.

    Fields:
        name: name of its folder.
        values: varied option -> value.
        folder: folder of all its files.
    """

    name: str
    values: dict[str, object]
    folder: Path

    def words(self, folder: Path) -> list[str]:
        """The command line of `pmtwin` that repeats the run with the options file in `folder`."""
        return ["train", "--config", str(folder / ARGUMENTS), "-o", str(self.folder / POLICY), "--jobs", "1"]


def prepare(plan: SweepPlan, output: Path) -> list[SweepRun]:
    """Write the options of each run, after checking those of all runs.

    Raises:
        InputError: as `checked`.
    """
    runs = checked(plan, output)
    for run in runs:
        run.folder.mkdir(parents=True, exist_ok=True)
        if not (run.folder / ARGUMENTS).exists():
            write_arguments(plan, run, run.folder)
    return runs


def checked(plan: SweepPlan, output: Path) -> list[SweepRun]:
    """The runs of a plan, after checking that `pmtwin train` accepts their options; writes nothing.

    Raises:
        InputError: if `pmtwin train` rejects the options of a run (the error names the run), the folder holds a run of
            another plan, or the runs train several policies without a list of policies in the plan.
    """
    runs = [SweepRun(name, values, output / name) for name, values in plan.runs().items()]
    policies = set()
    with TemporaryDirectory() as scratch:
        for run in runs:
            path, content = run.folder / ARGUMENTS, _content(plan, run)
            if path.exists() and read_json(path, "--output") != content:
                allowed = f"the folder of the same plan, or a new one; {path} differs"
                raise InputError("--output", str(output), allowed)
            write_arguments(plan, run, Path(scratch))
            policies.add(configuration(run, Path(scratch)).policy)
    if len(policies) > 1 and "policy" not in plan.vary:
        names = " and ".join(sorted(policies))
        raise InputError("policy", names, "one for all runs, named in the plan, or a list in [vary]")
    return runs


def write_arguments(plan: SweepPlan, run: SweepRun, folder: Path) -> None:
    """Write the options of a run into a folder."""
    write_json(folder / ARGUMENTS, _content(plan, run), "--output")


def _content(plan: SweepPlan, run: SweepRun) -> dict:
    return {"configuration": {"arguments": plan.arguments(run.values)}}


def configuration(run: SweepRun, folder: Path | None = None):
    """The configuration of `pmtwin train` for a run.

    Args:
        run: the run.
        folder: folder of its options file; None: the run's folder.

    Raises:
        InputError: if an option is not accepted; the error names the run and the option.
    """
    try:
        return parsed_configuration(run.words(folder or run.folder))
    except InputError as error:
        raise error.renamed(f"{run.name}: {error.field}") from error


def trained_row(run: SweepRun) -> dict[str, object]:
    """Train, unless the record of the training exists, and return the run's row of the summary."""
    config = configuration(run)
    if not config.record_path.exists():
        trained(config, quiet)
    return summary_row(run, read_json(config.record_path, "--output"))


def summary_row(run: SweepRun, record: Mapping) -> dict[str, object]:
    """Row of the summary: run, varied options, policy, hash, seconds, scores of the selected trial or last stage."""
    policy = run.folder / POLICY
    selected = record.get("selected_after_episode")  # only trainings with trials have it
    trial: Mapping = next((entry for entry in record.get("trials", ()) if entry["after_episode"] == selected), {})
    means = {name: sum(by.values()) / len(by) for name, by in trial.items() if isinstance(by, dict)}
    if record.get("attainment"):
        means = {SHARE: list(record["attainment"].values())[-1]}
    return {
        "run": run.name,
        **run.values,
        "policy": str(policy),
        "policy_sha256": hashlib.sha256(policy.read_bytes()).hexdigest(),
        "seconds": round(sum(record["seconds"].values()), 3),
        **({"selected_after_episode": selected} if "trials" in record else {}),
        **means,
    }


def run_all(runs: list[SweepRun], workers: int, on_done: Callable[[], object]) -> list[dict]:
    """Train the runs on `workers` processes; returns a row of the summary for each, in the order of `runs`."""
    from joblib import delayed

    rows = []
    for row in processes(workers, "generator")(delayed(trained_row)(run) for run in runs):
        rows.append(row)
        on_done()
    return rows


def write_summary(runs: list[SweepRun], rows: list[dict], output: Path) -> None:
    """Write `summary.json`, `summary.csv` and the learning curves (`pmtwin.sweep.curves`) into the sweep's folder."""
    records = [read_json(configuration(run).record_path, "--output") for run in runs]
    write_curves(curve_rows([(run.values, record) for run, record in zip(runs, records, strict=True)]), output)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_json(output / "summary.json", {"runs": rows}, "--output")
    write_text(output / "summary.csv", text.getvalue(), "--output")
