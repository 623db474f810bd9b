"""The `pmtwin` command: finds the subcommands in `pmtwin/commands`, runs one, and turns errors into exit codes.

A subcommand is a module with `HELP` (one line), `Config` (the dataclass of its options, see `pmtwin.config`) and
`run(config) -> int | None`. Only the module of the command that was asked for is imported; its heavy imports belong
inside `run`, so that every `--help` stays quick.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import pkgutil
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NoReturn

from pmtwin import __version__, commands
from pmtwin.command_line import running
from pmtwin.config.door import declare
from pmtwin.config.scenario_config import ScenarioConfig
from pmtwin.config.scenario_named import flags, scenario_first, scenarios_with
from pmtwin.config.shared import CommandConfig
from pmtwin.interrupts import exit_code, terminating
from pmtwin.output import message
from pmtwin.process_environment import prepared
from pmtwin.sim import compiling, system_errors
from pmtwin.sim.errors import PmtwinError, unknown_name
from pmtwin.sim.input_file import one_reader
from pmtwin.sim.standard_output import aside
from pmtwin.standard_streams import Streams, guarded
from pmtwin.usage_errors import in_our_form, misplaced, unknown

ORDER = (
    "doctor",
    "warm",
    "list",
    "probe",
    "calibrate",
    "infer",
    "predict",
    "plan",
    "simulate",
    "train",
    "sweep",
    "evaluate",
    "export",
    "recommend",
    "validate",
)
ORDER += ("figures", "bench", "run", "completion")
"""The order of the loop, for the help; a command not named here comes last."""

EPILOG = "exit codes: 0 ok, 1 a check failed, 2 usage or bad input, 3 hardware or dependency missing, "
EPILOG += "129, 130 or 143 interrupted by SIGHUP, Ctrl-C or SIGTERM"

WITHOUT_COMMAND = ("--help", "--version", "-h")
"""Options of `pmtwin` itself."""

NEGATIVE = re.compile(r"-(?!\d+$|\d*\.\d+$)(\d|\.\d|inf|nan)", re.IGNORECASE)
"""The start of a negative value that argparse takes for an option; it knows only plain numbers such as -1 and -0.5."""


class Formatter(argparse.HelpFormatter):
    """Help whose examples, lines that begin with two spaces, are not wrapped."""

    def _fill_text(self, text, width, indent):
        fill = super()._fill_text
        text = re.sub(r"(?<=\S)\n(?=\S)", " ", text)  # a paragraph, whose lines are those of the source
        lines = (line if line.startswith("  ") else fill(line, width, indent) for line in text.split("\n"))
        return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, as all errors of the project are."""

    def parse_args(self, args=None, namespace=None):
        """Parse; a value such as `-1,5` or `-1e3` belongs to the option before it, whose own check refuses it."""
        words = _with_negative_values(sys.argv[1:] if args is None else args)
        args, rest = self.parse_known_args(words, namespace)
        parser = getattr(args, "command_parser", self)
        if rest and not _takes_more(
            parser, args, rest
        ):  # the command's help says what it takes, not the list of commands
            word = next((word for word in rest if word.startswith("-")), rest[0])
            name = word.partition("=")[0]
            if name in parser._option_string_actions:  # it stood where only options of `pmtwin` itself are known
                wrong = misplaced(name, parser.prog)
            else:
                wrong = unknown(name, parser.prog, _hint(name, parser, args))
            parser.exit(2, f"{parser.prog}: {wrong}\n")
        return args

    def error(self, message: str) -> NoReturn:
        """Report a usage error and leave with exit code 2."""
        self.exit(2, f"{self.prog}: {in_our_form(message, self)} (see {self.prog} --help)\n")


CLOSE = 0.7
"""Ratio of `difflib` from which a word is taken for a misspelt option; dashes at its start count for nothing."""


def _hint(word: str, parser: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """What may be meant by an unknown option: that of another scenario, or one with a similar name; empty: nothing."""
    door = getattr(args, "door", None)
    owners = scenarios_with(word, door.keys.config) if door and issubclass(door.keys.config, ScenarioConfig) else []
    if owners and word not in flags(door.keys.scenario, door.keys.config):
        return f"; {word} is an option of scenario {' and '.join(owners)}, not of {door.spec}"
    known = {option.lstrip("-"): option for option in parser._option_string_actions if option.startswith("--")}
    near = difflib.get_close_matches(word.lstrip("-"), known, n=1, cutoff=CLOSE) if word.startswith("-") else []
    return f" (did you mean {known[near[0]]!r}?)" if near else ""


def _takes_more(parser: argparse.ArgumentParser, args: argparse.Namespace, words: Sequence[str]) -> bool:
    """Add words behind an option to the words before it (`calibrate A -o X B`), if an argument takes several words."""
    several = next((each for each in parser._actions if each.nargs == "*" and not each.option_strings), None)
    if several is None or any(word.startswith("-") for word in words):
        return False
    setattr(args, several.dest, [*getattr(args, several.dest, ()), *words])
    return True


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
    names = sorted(module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_"))
    return [name for name in ORDER if name in names] + [name for name in names if name not in ORDER]


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
            description=getattr(module, "DESCRIPTION", f"{module.HELP[0].upper()}{module.HELP[1:]}"),
            epilog=EPILOG,
            formatter_class=Formatter,
            allow_abbrev=False,
        )
        sub.set_defaults(run=module.run, command_parser=sub)
        declare(sub, module.Config, words if command else None, getattr(module, "EXAMPLES", ()))
    return parser


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
            elif command not in command_names():
                raise unknown_name("command", command, command_names())
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
    words = [words[0], *scenario_first(words[1:])]
    args = build_parser(words[0], words[1:]).parse_args(words)
    return args.door.configuration(args)


def _run(argv: list[str], command: str | None) -> int:
    if command:
        place = argv.index(command) + 1
        argv = [*argv[:place], *scenario_first(argv[place:])]
    args = build_parser(command, argv[argv.index(command) + 1 :] if command else ()).parse_args(argv)
    with aside():
        config = args.door.configuration(args)
    compiling.announce(message)
    with aside() if config.runs_user_code else nullcontext(), args.door.renaming():
        return args.run(config) or 0


def _fail(command: str | None, reason: object, code: int) -> int:
    sys.stdout.flush()  # what was printed before the error comes before it
    message(f"pmtwin {command}: {reason}" if command in command_names() else f"pmtwin: {reason}")
    return code


if __name__ == "__main__":
    sys.exit(main())
