"""Parsing of a command line into the configuration of its command."""

from __future__ import annotations

import importlib
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmtwin import __version__
from pmtwin.config.parser import Formatter, Parser
from pmtwin.config.summaries import SUMMARIES, description, module_of

if TYPE_CHECKING:
    from pmtwin.config.shared import CommandConfig

EPILOG = "exit codes: 0 ok, 1 a check failed, 2 usage or bad input, 3 hardware or dependency missing, "
EPILOG += "129, 130 or 143 interrupted by SIGHUP, Ctrl-C or SIGTERM"


def build_parser(command: str | None = None, words: Sequence[str] = ()) -> Parser:
    """The parser of the command line.

    Args:
        command: the command; only its module is imported, and only its arguments are added. None: a parser that lists
            all commands, without their arguments.
        words: words after the command; the scenario among them determines its options.
    """
    parser = Parser(prog="pmtwin", description="A calibrated twin of a persistent-memory storage middleware.")
    parser.epilog = EPILOG
    parser.add_argument("--version", action="version", version=f"pmtwin {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [command] if command else SUMMARIES:
        sub = subparsers.add_parser(name, help=SUMMARIES[name], formatter_class=Formatter, allow_abbrev=False)
        if command:
            _add_arguments(sub, command, words)
    return parser


def _add_arguments(parser: Parser, command: str, words: Sequence[str]) -> None:
    from pmtwin.config.door import declare  # imports scenarios: not for the list of commands

    module = importlib.import_module(module_of(command))
    parser.description = getattr(module, "DESCRIPTION", description(command))
    parser.epilog = EPILOG
    parser.set_defaults(run=module.run, command_parser=parser)
    declare(parser, module.Config, words, getattr(module, "EXAMPLES", ()))


def parsed_configuration(words: Sequence[str]) -> CommandConfig:
    """The configuration of a command line; words: the command, then its arguments.

    Raises:
        InputError: for a value that is not accepted, under the user's name for the option.
    """
    args = parsed(list(words), words[0])
    return args.door.configuration(args)


def parsed(argv: list[str], command: str) -> Namespace:
    """The parsed arguments of a command line with `command`; attribute `run` is the function that runs it."""
    from pmtwin.config.scenario_named import scenario_first  # imports scenarios: not for the list of commands

    place = argv.index(command) + 1
    words = scenario_first(argv[place:])
    return build_parser(command, words).parse_args([*argv[:place], *words])
