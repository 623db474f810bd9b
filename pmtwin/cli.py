"""The `pmtwin` command: finds the subcommand in `pmtwin/commands`, runs it, and turns errors into exit codes.

A subcommand is a line of `pmtwin.commands.SUMMARIES` and a module with `Config` (the dataclass of its options, see
`pmtwin.config`) and `run(config) -> int | None`. Only the module of the command that was asked for is imported; its
heavy imports belong inside `run`, so that every `--help` stays quick.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from pmtwin import __version__
from pmtwin.command_line import running
from pmtwin.commands import SUMMARIES, description
from pmtwin.config.parser import Formatter, Parser
from pmtwin.interrupts import exit_code, terminating
from pmtwin.output import message
from pmtwin.process_environment import prepared
from pmtwin.sim import compiling, system_errors
from pmtwin.sim.errors import PmtwinError, unknown_name
from pmtwin.sim.input_file import one_reader
from pmtwin.sim.standard_output import aside
from pmtwin.standard_streams import Streams, guarded

if TYPE_CHECKING:
    from argparse import Namespace

    from pmtwin.config.shared import CommandConfig

EPILOG = "exit codes: 0 ok, 1 a check failed, 2 usage or bad input, 3 hardware or dependency missing, "
EPILOG += "129, 130 or 143 interrupted by SIGHUP, Ctrl-C or SIGTERM"

WITHOUT_COMMAND = ("--help", "--version", "-h")
"""Options of `pmtwin` itself."""


def build_parser(command: str | None = None, words: Sequence[str] = ()) -> Parser:
    """The command line; with `command`, only that one's module is imported and its arguments known.

    Args:
        words: what follows the command; the scenario among them decides on its options.
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
    from pmtwin.config.door import declare  # with numpy and all of a scenario: not for the list of commands

    module = importlib.import_module(f"pmtwin.commands.{command}")
    parser.description = getattr(module, "DESCRIPTION", description(command))
    parser.epilog = EPILOG
    parser.set_defaults(run=module.run, command_parser=parser)
    declare(parser, module.Config, words, getattr(module, "EXAMPLES", ()))


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    command = next((word for word in argv if not word.startswith("-")), None)
    with guarded() as streams:
        try:
            code = _ended(argv, command)
        except SystemExit as leave:  # argparse's way out
            leave.code = _settled(command, leave.code, streams)
            raise
        return _settled(command, code, streams)


def _ended(argv: list[str], command: str | None) -> int:
    """Run the command to its end, whichever that is; returns the exit code."""
    try:
        with prepared(), terminating(), running(argv), one_reader():
            if command is None:
                _check_options(argv)
            elif command not in SUMMARIES:
                raise unknown_name("command", command, SUMMARIES)
            if os.getcwd() not in sys.path:
                sys.path.append(os.getcwd())  # so that `my_module:MyPolicy` is found where the user works
            return _run(argv, command)
    except PmtwinError as error:
        return _fail(command, error, error.exit_code)
    except KeyboardInterrupt as interrupt:
        return _fail(command, "interrupted", exit_code(interrupt))
    except OSError as error:  # a full disk, an unreadable file
        return _fail(command, system_errors.sentence(error), 2)


def _settled(command: str | None, code: int, streams: Streams) -> int:
    """The exit code, once all is printed that can be."""
    sys.stdout.flush()
    if streams.lost is None:
        return code
    lost = f"standard output cannot be written: {system_errors.reason(streams.lost)}; allowed: another output"
    return _fail(command, lost if code else f"{lost} (the work is done, and its files are written)", code or 2)


def _check_options(words: Sequence[str]) -> None:
    """Raise `InputError` for an option that is none of `pmtwin` without a command."""
    for word in words:
        if not any(known.startswith(word) for known in WITHOUT_COMMAND):
            raise unknown_name("option", word, WITHOUT_COMMAND, wrong="is unknown")


def parsed_configuration(words: Sequence[str]) -> CommandConfig:
    """The configuration that the words of a command line mean, the command first.

    Raises:
        InputError: for a value that is not accepted, under the name that the user gave it.
    """
    args = _parsed(list(words), words[0])
    return args.door.configuration(args)


def _parsed(argv: list[str], command: str) -> Namespace:
    from pmtwin.config.scenario_named import scenario_first  # with all of a scenario: not for the list of commands

    place = argv.index(command) + 1
    words = scenario_first(argv[place:])
    return build_parser(command, words).parse_args([*argv[:place], *words])


def _run(argv: list[str], command: str | None) -> int:
    if command is None:
        build_parser().parse_args(argv)  # prints and leaves
        return 0
    args = _parsed(argv, command)
    with aside():
        config = args.door.configuration(args)
    compiling.announce(message)
    with aside() if config.runs_user_code else nullcontext(), args.door.renaming():
        return args.run(config) or 0


def _fail(command: str | None, reason: object, code: int) -> int:
    sys.stdout.flush()  # what was printed before the error comes before it
    message(f"pmtwin {command}: {reason}" if command in SUMMARIES else f"pmtwin: {reason}")
    return code


if __name__ == "__main__":
    sys.exit(main())
