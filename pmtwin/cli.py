"""The `pmtwin` command: finds the subcommands in `pmtwin/commands`, runs one, and turns errors into exit codes.

A subcommand is a module with `HELP` (one line), `configure(parser)` and `run(args) -> int | None`. Heavy imports
belong inside `run`, so that `pmtwin --help` stays quick.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys

from pmtwin import __version__, commands
from sim.errors import PmtwinError

ORDER = ("doctor", "list", "calibrate", "predict", "simulate", "train", "evaluate", "figures", "bench", "run")
"""The order of the loop, for the help; a command not named here comes last."""

EPILOG = "exit codes: 0 ok, 1 a check failed, 2 usage or bad input, 3 hardware or dependency missing"


def command_names() -> list[str]:
    """The subcommands that are present, in the order of the loop."""
    found = sorted(module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_"))
    return [name for name in ORDER if name in found] + [name for name in found if name not in ORDER]


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="pmtwin",
        description="A calibrated twin of a persistent-memory storage middleware.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"pmtwin {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in command_names():
        module = importlib.import_module(f"pmtwin.commands.{name}")
        sub = subparsers.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog=EPILOG,
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        module.configure(sub)
        sub.set_defaults(run=module.run)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    args = build_parser().parse_args(argv)
    try:
        return args.run(args) or 0
    except PmtwinError as error:
        print(f"pmtwin {args.command}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"pmtwin {args.command}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away (head, less): nothing to say, and nowhere to say it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
