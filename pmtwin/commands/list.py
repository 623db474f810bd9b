"""`pmtwin list KIND [NAME]`: what can be named on the command line, and what a policy or a scenario declares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pmtwin.config.shared import CommandConfig, Printed
from pmtwin.console.output import message, print_json, print_table
from pmtwin.listing.declaration import declaration, print_declaration
from pmtwin.listing.listings import listings
from pmtwin.scenarios import load_scenario
from pmtwin.scenarios.listing import Listing
from pmtwin.sim.errors import ConflictError, unknown_name
from pmtwin.sim.options import option

EXAMPLES = ("pmtwin list profiles", "pmtwin list policies threshold")


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Printed):
    """Options of `pmtwin list`."""

    command: ClassVar[str] = "list"
    kind: str = option("", "kind of names, such as profiles; without it the kinds are listed", positional=True)
    name: str = option(
        "",
        "name of that kind, to see it alone: a policy with its options, a scenario with its decision points",
        positional=True,
    )
    host: Path | None = option(
        None,
        "host whose parameter values are listed, with their origin: inferred, or a file of `pmtwin probe --host` or "
        "`pmtwin infer`",
        metavar="NAME|FILE",
    )


def run(config: Config) -> None:
    """Print the entries of one kind, one entry closely, or which kinds there are.

    Raises:
        InputError: for an unknown kind or name, or a file that is no host's.
    """
    kinds = listings()
    if not config.kind:
        _print_kinds(kinds, config.json)
        return
    if config.kind not in kinds:
        raise unknown_name("KIND", config.kind, kinds)
    listing = kinds[config.kind]
    if config.name and config.host is None:
        _print_one(config, listing)
        return
    entries, shown = _entries(config, listing)
    _print_entries(config, listing, entries, shown)


def _print_entries(config: Config, listing: Listing, entries: list[dict], shown: tuple[str, ...]) -> None:
    if config.json:
        print_json({config.kind: entries})
        return
    columns = shown or tuple(entries[0])
    print_table(
        [[listing.cells.get(column, _as_it_is)(entry[column]) for column in columns] for entry in entries],
        [listing.titles.get(column, column) for column in columns],
    )
    if listing.note and config.host is None:
        message(listing.note)


def _entries(config: Config, listing: Listing) -> tuple[list[dict], tuple[str, ...]]:
    """The entries of a kind, and the keys that a table shows; none: all."""
    if config.host is None:
        return listing.entries(), listing.columns
    if listing.measured is None or config.name:
        raise ConflictError("host", str(config.host), "belongs to kind parameters: pmtwin list parameters --host FILE")
    return listing.measured(str(config.host)), listing.measured_columns


def _print_kinds(kinds: dict, as_json: bool) -> None:
    if as_json:
        print_json({"kinds": list(kinds)})
    else:
        print_table([(f"pmtwin list {kind}", listing.what) for kind, listing in kinds.items()])


def _print_one(config: Config, listing: Listing) -> None:
    """The declaration of a scenario, the options of what takes any, or else the entries of that name."""
    if config.kind == "scenarios":
        declared = declaration(load_scenario(config.name))
        if config.json:
            print_json(declared)
        else:
            print_declaration(declared)
    elif listing.options is not None:
        rows, points = listing.options(config.name), listing.points(config.name)
        if config.json:
            print_json({"policy": config.name, "points": points, "options": rows})
            return
        print(f"decision points: {', '.join(points)}")
        if rows:
            print_table([list(row.values()) for row in rows], list(rows[0]))
        else:
            print(f"{config.name} takes no options")
    else:
        entries = listing.named(config.name)
        if len(entries) > 1:
            _print_entries(config, listing, entries, listing.columns)
        elif config.json:
            print_json(entries[0])
        else:
            print_table([(key, listing.cells.get(key, _as_it_is)(value)) for key, value in entries[0].items()])


def _as_it_is(value: object) -> object:
    return value
