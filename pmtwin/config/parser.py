"""The argument parser of the command line: errors in the project's form, help with unwrapped examples."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from pmtwin.config.usage_errors import in_our_form, left_over, misplaced, unknown

NEGATIVE = re.compile(r"-(?!\d+$|\d*\.\d+$)(\d|\.\d|inf|nan)", re.IGNORECASE)
"""Start of a negative value that argparse takes for an option: it recognises only plain numbers such as -1 and -0.5."""


class Formatter(argparse.HelpFormatter):
    """Help formatter that does not wrap examples: lines that begin with two spaces."""

    def _fill_text(self, text: str, width: int, indent: str):
        fill = super()._fill_text
        text = re.sub(r"(?<=\S)\n(?=\S)", " ", text)  # joins the lines of a paragraph in the source
        lines = (line if line.startswith("  ") else fill(line, width, indent) for line in text.split("\n"))
        return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line in the project's form."""

    def parse_args(self, args=None, namespace=None):
        """Parse; a value such as `-1,5` or `-1e3` goes to the option before it, whose check then applies."""
        words = _with_negative_values(sys.argv[1:] if args is None else args)
        args, rest = self.parse_known_args(words, namespace)
        parser = getattr(args, "command_parser", self)
        if rest and not _takes_more(parser, args, rest):  # errors point to the help of the command
            word = next((word for word in rest if word.startswith("-")), "")
            name = word.partition("=")[0]
            if name in parser._option_string_actions:  # an option of the command before the command's name
                wrong = misplaced(name, parser.prog)
            else:
                hint = _hint(name or rest[0], words, parser, args)
                wrong = unknown(name, parser.prog, hint) if name else left_over(rest, words, parser) + hint
            parser.exit(2, f"{parser.prog}: {wrong}\n")
        return args

    def error(self, message: str) -> NoReturn:
        """Report a usage error and exit with code 2."""
        self.exit(2, f"{self.prog}: {in_our_form(message, self)} (see {self.prog} --help)\n")


CLOSE = 0.7
"""Smallest ratio of `difflib` at which a word, without leading dashes, is taken for a misspelt option."""


def _hint(word: str, words: Sequence[str], parser: argparse.ArgumentParser, args: argparse.Namespace) -> str:
    """A hint for a word that no argument takes: an option of another scenario, a similar option, or a missing option.

    Args:
        word: the word.
        words: the whole command line.
        parser, args: parser of the command and its arguments so far.

    Returns:
        End of an error; empty without a hint.
    """
    from pmtwin.config.meant import option_meant, scenario_meant
    from pmtwin.config.scenario_config import ScenarioConfig  # with numpy: for a fault alone
    from pmtwin.config.scenario_named import SCENARIO_FLAG, flags, scenarios_with

    if word == SCENARIO_FLAG:
        return scenario_meant(words, parser)
    if not word.startswith("-"):
        return option_meant(word, parser._option_string_actions)
    door = getattr(args, "door", None)
    if door is not None and issubclass(door.keys.config, ScenarioConfig):
        owners = scenarios_with(word, door.keys.config)
        if owners and word not in flags(door.keys.scenario, door.keys.config):
            other = f", not of {door.spec}" if door.spec else ""
            return f"; {word} is an option of scenario {' and '.join(owners)}{other}"
    known = {option.lstrip("-"): option for option in parser._option_string_actions if option.startswith("--")}
    near = difflib.get_close_matches(word.lstrip("-"), known, n=1, cutoff=CLOSE)
    return f" (did you mean {known[near[0]]!r}?)" if near else ""


def _takes_more(parser: argparse.ArgumentParser, args: argparse.Namespace, words: Sequence[str]) -> bool:
    """Add words after an option to the positional words before it (`calibrate A -o X B`); returns whether it did."""
    positional = next((action for action in parser._actions if action.nargs == "*" and not action.option_strings), None)
    if positional is None or any(word.startswith("-") for word in words):
        return False
    setattr(args, positional.dest, [*getattr(args, positional.dest, ()), *words])
    return True


def _with_negative_values(words: Sequence[str]) -> list[str]:
    """The words, with negative values joined to their options by `=`."""
    joined: list[str] = []
    for word in words:
        if joined and NEGATIVE.match(word) and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined
