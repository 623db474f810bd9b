"""A page for each command with all its options, as `--help-all` tells them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import groupby

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from pmtwin.config.summaries import SUMMARIES
from pmtwin.listing.completion import parsers

FOLDER = "commands"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the commands into the navigation, behind the start."""
    pages = [{command: f"{FOLDER}/{command}.md"} for command in SUMMARIES]
    config.nav.insert(1, {"Commands": [f"{FOLDER}/index.md", *pages]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each command, and the list of them."""
    links = "".join(f"- [pmtwin {name}]({name}.md): {_plain(what)}\n" for name, what in SUMMARIES.items())
    content = f"# Commands\n\nAll options of each command, as `pmtwin COMMAND --help-all` shows them.\n\n{links}"
    files.append(File.generated(config, f"{FOLDER}/index.md", content=content))
    for command in SUMMARIES:
        files.append(File.generated(config, f"{FOLDER}/{command}.md", content=_page(command)))
    return files


def _page(command: str) -> str:
    """What a command does, the options that it has in every scenario, and those that it has in one."""
    tables = {scenario: _arguments(parser) for scenario, parser in parsers(command).items()}
    common = set.intersection(*map(set, tables.values()))
    first = next(iter(tables.values()))
    parts = [f"# pmtwin {command}", f"{_plain(SUMMARIES[command])}."]
    parts += _sections("", (row for row in first if row in common))
    for scenario, rows in tables.items():
        parts += _sections(f"Scenario {scenario}: ", (row for row in rows if row not in common))
    return "\n\n".join(parts) + "\n"


def _arguments(parser: argparse.ArgumentParser) -> list[tuple[str, str, str]]:
    """(heading, how it is written, what it means) of each argument that is shown."""
    formatter = parser._get_formatter()
    return [
        (group.title or "", formatter._format_action_invocation(action), formatter._expand_help(action))
        for group in parser._action_groups
        for action in group._group_actions
        if action.help not in (None, argparse.SUPPRESS)
    ]


def _sections(prefix: str, rows: Iterable[tuple[str, str, str]]) -> list[str]:
    """A heading and a table for each group of arguments."""
    parts = []
    for heading, group in groupby(rows, key=lambda row: row[0]):
        lines = "".join(f"| `{written.replace(', ', '`<br>`')}` | {_plain(about)} |\n" for _, written, about in group)
        parts.append(f"## {prefix}{heading}\n\n| argument | meaning |\n|---|---|\n{lines}")
    return parts


def _plain(text: str) -> str:
    """Text in a cell of a table, in which nothing is markup."""
    return text.replace("\\", "\\\\").translate({ord(letter): f"\\{letter}" for letter in "|*_<`[]"})
