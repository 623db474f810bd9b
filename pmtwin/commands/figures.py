"""`pmtwin figures`: the figures and tables of the papers, computed, with their data and the published values beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.console.output import print_json, print_table
from pmtwin.pipeline.options import PipelineConfig

EXAMPLES = ("pmtwin figures --dry-run", "pmtwin figures -o results")


@dataclass(frozen=True, kw_only=True)
class Config(PipelineConfig):
    """Options of `pmtwin figures`."""

    command: ClassVar[str] = "figures"


def run(config: Config) -> int:
    """Compute what is missing, draw, write; returns 0."""
    from pmtwin.loop.running import make_figures, print_plan, setting_of
    from pmtwin.pipeline.declared import pipeline_of

    pipeline = pipeline_of(config.scenario)
    entries = [pipeline.entry(name) for name in config.names] or list(pipeline.entries)
    setting = setting_of(config)
    if config.dry_run:
        print_plan(setting, entries, config.output, config.json)
        return 0
    sections, _ = make_figures(setting, config.output, entries)
    made = [
        {
            "name": section.entry.name,
            "title": section.entry.title,
            "place": section.entry.place,
            "command": section.entry.command,
            "files": [str(path) for path in section.files],
            "statements": [vars(statement) for statement in section.statements],
        }
        for section in sections
    ]
    if config.json:
        print_json({"campaign": setting.campaign.name, "seed": setting.seed, "figures": made})
    else:
        print_table([(figure["name"], file) for figure in made for file in figure["files"]], ("figure", "file"))
    return 0
