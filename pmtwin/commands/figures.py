"""`pmtwin figures`: the figures and tables of the papers, computed, with their data and the published values beside."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "make figures and tables of the papers, with their data beside them"

DEFAULT_OUTPUT = Path("results")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pmtwin figures`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="of pmtwin list figures; all if omitted")
    add_run_options(parser)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Options shared with `pmtwin run`."""
    parser.add_argument("-o", "--output", type=Path, default=DEFAULT_OUTPUT, metavar="DIR", help="folder of results")
    parser.add_argument(
        "--full", action="store_true", help="the whole campaign of the thesis instead of its quick reduction"
    )
    parser.add_argument("--seed", type=int, default=0, help="root of all random numbers")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; as many as usable cores if omitted")
    parser.add_argument("--data", type=Path, metavar="DIR", help="measurements; ../shared/data/optane if it is there")
    parser.add_argument("--dry-run", action="store_true", help="say what would be computed and how long it would take")
    parser.add_argument("--json", action="store_true", help="what was made, as JSON on standard output")


def run(args: argparse.Namespace) -> int:
    """Compute what is missing, draw, write; returns 0."""
    from pmtwin.figures.registry import figure, figure_names
    from pmtwin.output import print_json, print_table
    from pmtwin.pipeline.loop import dry_run, make_figures, setting_of

    entries = [figure(name) for name in dict.fromkeys(args.names or figure_names())]
    setting = setting_of(args)
    if args.dry_run:
        return dry_run(args, setting, entries)
    sections, _ = make_figures(setting, args.output, entries)
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
    if args.json:
        print_json({"campaign": setting.campaign.name, "seed": setting.seed, "figures": made})
    else:
        print_table([(one["name"], file) for one in made for file in one["files"]], ("figure", "file"))
    return 0
