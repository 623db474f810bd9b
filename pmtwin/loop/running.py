"""Common parts of `pmtwin figures` and `pmtwin run`: the setting, the steps, and the figures."""

from __future__ import annotations

from pathlib import Path

from pmtwin.console.output import about, counted, message, print_json, print_table, print_text
from pmtwin.figures.registry import Entry
from pmtwin.machine import machine
from pmtwin.pipeline.declared import pipeline_of
from pmtwin.pipeline.files import Section, make
from pmtwin.pipeline.options import PipelineConfig
from pmtwin.pipeline.runner import Done, Runner, usual_s
from pmtwin.pipeline.step import Setting
from pmtwin.pipeline.store import Store
from pmtwin.sim.files.writing import write_json

CACHE, FOLDER, RECORD = "cache", "figures", "run.json"
DATA = Path("..", "shared", "data", "optane")


def setting_of(config: PipelineConfig) -> Setting:
    """Setting for the options; without `data`, the folder of measurements next to the checkout, if it exists."""
    default_data = Path(__file__).resolve().parents[2] / DATA
    data = config.data or (default_data if default_data.is_dir() else None)
    pipeline = pipeline_of(config.scenario)
    return Setting(config.scenario, pipeline.full if config.full else pipeline.quick, config.seed, config.jobs, data)


def make_figures(
    setting: Setting, output: Path, entries: list[Entry], more: frozenset = frozenset()
) -> tuple[list[Section], dict[str, Done]]:
    """Run the steps that the entries need and the steps `more`; write the figures into `figures` of the output folder.

    Returns:
        (section of each entry, step -> result).
    """
    steps = pipeline_of(setting.scenario).needed(entries, more)
    done = Runner(setting, Store(output / CACHE)).run(steps)
    results = {name: step.values for name, step in done.items()}
    message(f"figures: {len(entries)} into {output / FOLDER}")
    return [make(entry, results, output / FOLDER) for entry in entries], done


def run_loop(setting: Setting, output: Path) -> dict:
    """Run all steps; write all figures, `run.json` and the report.

    Returns:
        Paths of the files, seconds by step, the checked statements, and `validation`, the verdict of the validation on
        this machine (None without a validation).
    """
    from pmtwin.report.configuration import record
    from pmtwin.report.page import write_report

    pipeline = pipeline_of(setting.scenario)
    sections, done = make_figures(setting, output, list(pipeline.entries), more=pipeline.besides())
    finished = pipeline.finish(setting, done, sections, output)
    host = machine.host_context()
    statements = [vars(statement) for section in sections for statement in section.statements]
    outcome = {"statements": statements, "validation": finished.verdict}
    write_json(output / RECORD, {**record(setting, done, host), **finished.record, **outcome}, "-o")
    parts = pipeline.parts(setting, done, sections, host, finished)
    return {
        "report": write_report(output, pipeline.title, setting, parts, host),
        "record": output / RECORD,
        **finished.files,
        "campaign": setting.campaign.name,
        "seed": setting.seed,
        "seconds": {name: step.seconds for name, step in done.items()},
        **outcome,
    }


def print_plan(
    setting: Setting, entries: list[Entry], output: Path, as_json: bool, more: frozenset = frozenset()
) -> None:
    """Print the plan of a run."""
    steps = pipeline_of(setting.scenario).needed(entries, more)
    seconds = [usual_s(setting, step) for step in steps]
    rows = [
        {"step": step.name, "title": step.title, "windows": step.windows(setting), "seconds": step_s}
        for step, step_s in zip(steps, seconds, strict=True)
    ]
    plan = {"campaign": setting.campaign.name, "seed": setting.seed, "jobs": setting.jobs, "steps": rows}
    plan |= {"output": str(output), "data": None if setting.data is None else str(setting.data)}
    if as_json:
        print_json(plan | {"figures": [entry.name for entry in entries]})
        return
    cells = [
        (row["step"], row["windows"], round(step_s), row["title"]) for row, step_s in zip(rows, seconds, strict=True)
    ]
    print_table(cells, _HEADER)
    print(f"\n{setting.campaign.name} campaign, {counted(setting.jobs, 'process', 'processes')}: {about(sum(seconds))}")
    names = ", ".join(entry.name for entry in entries)
    print_text(f"then {counted(len(entries), 'figure')} into {output / FOLDER}: {names}")


_HEADER = ("step", "windows", "seconds (about)", "what")
