"""Steps of `pmtwin figures` and `pmtwin run` for the thread pools, and their part of the report."""

from __future__ import annotations

from pathlib import Path

from pmtwin.console.output import message
from pmtwin.pipeline.declared import Finished, Part, Pipeline
from pmtwin.pipeline.files import Section, make
from pmtwin.pipeline.runner import Done
from pmtwin.pipeline.step import Setting
from pmtwin.scenarios.nvm_middleware.campaign import FULL, QUICK
from pmtwin.scenarios.nvm_middleware.figures.entries import ENTRIES
from pmtwin.scenarios.nvm_middleware.figures.experiments import recommended
from pmtwin.scenarios.nvm_middleware.figures.steps import STEPS
from pmtwin.scenarios.nvm_middleware.validation import step as validation
from pmtwin.sim.files.writing import write_atomically

FOLDER = "figures"


def _besides() -> frozenset[str]:
    """Steps of the loop that no figure needs; reports the ones that this machine cannot do."""
    missing = validation.left_out()
    if missing is not None:
        message(f"left out: the validation on this machine; {missing}")
    return frozenset({"agreement"} if missing else {"agreement", validation.STEP})


def _finish(setting: Setting, done: dict[str, Done], sections: list[Section], output: Path) -> Finished:
    """The trained policy, the verdict with its section, and the configuration for the record."""
    from pmtwin.scenarios.nvm_middleware.figures.report.configuration import record
    from pmtwin.scenarios.nvm_middleware.validation.report import ENTRY

    verdict = None
    if validation.STEP in done:
        values = done[validation.STEP].values
        verdict = values["verdict"]
        sections.append(make(ENTRY, {validation.STEP: values}, output / FOLDER))
    steps = {"policy": "training", "recommended policy": recommended.TRAINING}
    files = {what: _policy(done[step], output) for what, step in steps.items()}
    return Finished(files, verdict, record(setting))


def _policy(trained: Done, output: Path) -> Path:
    """The file of a trained policy, copied to the output."""
    name = trained.values["policy"]
    content = (trained.folder / name).read_bytes()
    return write_atomically(output / name, lambda file: file.write(content), "wb", "-o")


def _parts(
    setting: Setting, done: dict[str, Done], sections: list[Section], host: dict, finished: Finished
) -> list[Part]:
    from pmtwin.scenarios.nvm_middleware.figures.report.parts import parts

    return parts(setting, done, sections, host, finished)


PIPELINE = Pipeline(
    title="A calibrated twin of a persistent-memory middleware",
    entries=ENTRIES,
    steps=tuple(STEPS.values()),
    quick=QUICK,
    full=FULL,
    besides=_besides,
    finish=_finish,
    parts=_parts,
)
