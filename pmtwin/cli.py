"""The `pmtwin` command: finds the subcommand in `pmtwin/commands`, runs it, and turns errors into exit codes.

A subcommand is a line of `pmtwin.config.summaries` and a module with `Config` (the dataclass of its options, see
`pmtwin.config`) and `run(config) -> int | None`. Only the module of the called command is imported; its slow imports
belong inside `run`, so that every `--help` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypeVar

from pmtwin.config.command_words import build_parser, parsed
from pmtwin.config.summaries import SUMMARIES
from pmtwin.console.command_line import running
from pmtwin.console.interrupts import exit_code, terminating
from pmtwin.console.output import message
from pmtwin.console.process_environment import prepared
from pmtwin.console.standard_streams import Streams, guarded
from pmtwin.sim.common import system_errors
from pmtwin.sim.common.standard_output import aside
from pmtwin.sim.compiling import functions as compiling
from pmtwin.sim.errors import PmtwinError, unknown_name
from pmtwin.sim.files.input_file import one_reader

WITHOUT_COMMAND = ("--help", "--version", "-h")
"""Options of `pmtwin` itself."""


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
    """Run the command, and turn errors and signals into exit codes."""
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


_Code = TypeVar("_Code", bound=str | int | None)
"""Type of an argument of `sys.exit`, which prints a text."""


def _settled(command: str | None, code: _Code, streams: Streams) -> _Code | int:
    """The exit code after flushing all output; an error of standard output changes it."""
    sys.stdout.flush()
    if streams.lost is None:
        return code
    lost = f"standard output cannot be written: {system_errors.reason(streams.lost)}; allowed: another output"
    _fail(command, lost if code else f"{lost} (the work is done, and its files are written)", 2)
    return code or 2


def _check_options(words: Sequence[str]) -> None:
    """Raise `InputError` for an unknown option of `pmtwin` without a command."""
    for word in words:
        if not any(known.startswith(word) for known in WITHOUT_COMMAND):
            raise unknown_name("option", word, WITHOUT_COMMAND, wrong="is unknown")


def _run(argv: list[str], command: str | None) -> int:
    if command is None:
        build_parser().parse_args(argv)  # prints and leaves
        return 0
    args = parsed(argv, command)
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
