"""The `pmtwin` command: finds the subcommands in `pmtwin/commands`, runs one, and turns errors into exit codes.

A subcommand is a module with `HELP` (one line), `Config` (the dataclass of its options, see `pmtwin.config`) and
`run(config) -> int | None`; one whose arguments are not options alone has `configure(parser)` instead of `Config`. Only
the module of the command that was asked for is imported; its heavy imports belong inside `run`, so that every `--help`
stays quick.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from pmtwin import __version__, commands
from pmtwin.interrupts import exit_code, terminating
from pmtwin.output import message
from pmtwin.sim import compiling
from pmtwin.sim.errors import InputError, PmtwinError, unknown_name

ORDER = ("doctor", "list", "probe", "calibrate", "predict", "simulate", "train", "evaluate", "export", "validate")
ORDER += ("figures", "bench", "run")
"""The order of the loop, for the help; a command not named here comes last."""

COMPILED = ("simulate", "train", "evaluate", "validate", "figures", "bench", "run")
"""The commands that run compiled code."""

EPILOG = "exit codes: 0 ok, 1 a check failed, 2 usage or bad input, 3 hardware or dependency missing, "
EPILOG += "130 or 143 interrupted by Ctrl-C or SIGTERM"

OPTION_OF = {"max_latency": "--max-latency-us"}
"""Fields of the library whose option has another name than theirs with dashes."""

NUMBER_WORDS = {"int": "a whole number", "float": "a number"}


NEGATIVE = re.compile(r"-(?!\d+$|\d*\.\d+$)(\d|\.\d|inf|nan)", re.IGNORECASE)
"""The start of a negative value that argparse takes for an option; it knows only plain numbers such as -1 and -0.5."""


class Formatter(argparse.ArgumentDefaultsHelpFormatter):
    """Shows defaults, except those that say nothing."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        silent = action.default is None or action.default is False or action.default in ([], (), "")
        if silent or "default" in (action.help or ""):
            return action.help
        return super()._get_help_string(action)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, as all errors of the project are."""

    def parse_args(self, args=None, namespace=None):
        """Parse; a value such as `-1,5` or `-1e3` belongs to the option before it, whose own check refuses it."""
        words = _with_negative_values(sys.argv[1:] if args is None else args)
        args, rest = self.parse_known_args(words, namespace)
        if rest:  # the command's own help says what it takes, not the list of commands
            getattr(args, "command_parser", self).error(f"unrecognized arguments: {' '.join(rest)}")
        return args

    def error(self, message: str) -> NoReturn:
        """Report a usage error and leave with exit code 2."""
        kind = re.search(r"invalid (int|float) value", message)
        allowed = f"; allowed: {NUMBER_WORDS[kind[1]]}" if kind else ""
        self.exit(2, f"{self.prog}: {message}{allowed} (see {self.prog} --help)\n")


def _with_negative_values(words: Sequence[str]) -> list[str]:
    """The words, with a negative value joined to its option."""
    joined: list[str] = []
    for word in words:
        if joined and NEGATIVE.match(word) and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def command_names() -> list[str]:
    """The subcommands that are present, in the order of the loop."""
    found = sorted(module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_"))
    return [name for name in ORDER if name in found] + [name for name in found if name not in ORDER]


def build_parser(command: str | None = None, words: Sequence[str] = ()) -> Parser:
    """The command line; with `command`, only that one's module is imported and its arguments known.

    Args:
        words: what follows the command; the scenario among them decides on its options.
    """
    parser = Parser(prog="pmtwin", description="A calibrated twin of a persistent-memory storage middleware.")
    parser.epilog = EPILOG
    parser.add_argument("--version", action="version", version=f"pmtwin {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [command] if command else command_names():
        module = importlib.import_module(f"pmtwin.commands.{name}")
        sub = subparsers.add_parser(
            name,
            help=module.HELP,
            description=getattr(module, "DESCRIPTION", module.HELP),
            epilog=EPILOG,
            formatter_class=Formatter,
            allow_abbrev=False,
        )
        if hasattr(module, "Config"):
            from pmtwin.config.door import declare

            declare(sub, module.Config, words if command else None)
        else:
            module.configure(sub)
        sub.set_defaults(run=module.run, command_parser=sub)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # so that `my_module:MyPolicy` is found where the user works
    command = next((word for word in argv if not word.startswith("-")), None)
    try:
        if command is not None and command not in command_names():
            raise unknown_name("command", command, command_names())
        with terminating():
            code = _run(argv, command)
        sys.stdout.flush()
        return code
    except PmtwinError as error:
        return _fail(command, error, error.exit_code)
    except KeyboardInterrupt as interrupt:
        return _fail(command, "interrupted", exit_code(interrupt))
    except BrokenPipeError:  # the reader of our output went away (head, less): nothing to say, and nowhere to say it
        _discard_stdout()
        return 0
    except OSError as error:  # a full disk, an unreadable file: the system's own words say which and why
        return _fail(command, error, 2)


def _run(argv: list[str], command: str | None) -> int:
    args = build_parser(command, argv[argv.index(command) + 1 :] if command else ()).parse_args(argv)
    door = getattr(args, "door", None)
    config = door.configuration(args) if door else args
    if command in COMPILED and compiling.is_cold():
        message("compiling the simulator, once for this version: some seconds")
    try:
        return args.run(config) or 0
    except InputError as error:
        raise (door.renamed(error) if door else _as_option(error, args.command_parser)) from error


def _as_option(error: InputError, parser: argparse.ArgumentParser) -> InputError:
    """The same error under the name of the command's option, where the field of a library call has one."""
    option = OPTION_OF.get(error.field, f"--{error.field.replace('_', '-')}")
    if error.where is not None or option not in re.findall(r"--[a-z0-9-]+", parser.format_usage()):
        return error
    return InputError(option, error.value, error.allowed)


def _fail(command: str | None, reason: object, code: int) -> int:
    try:
        sys.stdout.flush()  # what was printed before the error comes before it
    except OSError:
        _discard_stdout()
    print(f"pmtwin {command}: {reason}" if command in command_names() else f"pmtwin: {reason}", file=sys.stderr)
    return code


def _discard_stdout() -> None:
    """Point standard output at nothing, so that the interpreter's last flush cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
