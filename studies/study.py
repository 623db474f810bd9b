"""The command line that the studies of this folder share: so many seeds, on several processors, as text or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pmtwin.sim.errors import PmtwinError, check_range


@dataclass(frozen=True)
class Study:
    """A module that can be run.

    Args:
        module: its name.
        document: its docstring; the first line describes the command.
        seeds: how many by default, and of what, for the help.
        configure: adds the arguments that are the study's own.
        run: (arguments, seeds, progress) -> what is printed as JSON; `progress(iterable, total, unit)` shows a bar.
        text: what is printed instead without `--json`.
    """

    module: str
    document: str
    seeds: tuple[int, str]
    configure: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace, range, Callable[..., Iterable]], dict[str, Any]]
    text: Callable[[dict], str]

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Run the study of the command line and print it; returns the exit code."""
        parser = argparse.ArgumentParser(
            prog=f"python -m {self.module}", description=self.document.partition("\n\n")[0]
        )
        self.configure(parser)
        default, what = self.seeds
        parser.add_argument("--seeds", type=int, default=default, help=f"{what} (default {default})")
        parser.add_argument("--seed", type=int, default=0, help="the first of them")
        parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes, -1 for one per core")
        parser.add_argument("--json", action="store_true", help="print the whole result")
        args = parser.parse_args(arguments)
        try:
            check_range("--seeds", args.seeds, 1, 1000)
            check_range("--seed", args.seed, 0, 2**32)
            result = self.run(args, range(args.seed, args.seed + args.seeds), _bar)
        except PmtwinError as error:
            print(f"{self.module}: {error}", file=sys.stderr)
            return error.exit_code
        print(json.dumps(result, indent=1) if args.json else self.text(result))
        return 0


def _bar(iterable: Iterable, total: int, unit: str) -> Iterable:
    from tqdm import tqdm

    return tqdm(iterable, total=total, unit=unit, disable=None, file=sys.stderr)
