"""Options that several commands have: each stands here, once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from pmtwin.sim.common.threads import usable_processors
from pmtwin.sim.options import Options, option

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario

MOST_SEED = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class CommandConfig(Options):
    """The configuration of a command.

    Class attributes:
        command: its name.
        everyday: names of the options that `--help` shows, beside those that are required; empty: all. `--help-all`
            shows the rest.
        runs_user_code: whether policies, scenarios and functions of a user's file may run: what these print goes to
            standard error, and `pmtwin.sim.common.standard_output.results` encloses what the command prints.
        replaced: names of options of the scenario in whose place the command has its own.
        alternatives: groups of options of which one must be given, as they are called -> their names.
        meant: the field whose options a name means that several alternative groups have (`Options.alternative`);
            empty: the first.
    """

    command: ClassVar[str]
    runs_user_code: ClassVar[bool] = False
    everyday: ClassVar[tuple[str, ...]] = ()
    replaced: ClassVar[tuple[str, ...]] = ()
    alternatives: ClassVar[Mapping[str, Collection[str]]] = MappingProxyType({})
    meant: ClassVar[str] = ""

    @classmethod
    def for_words(cls, words: Sequence[str], scenario: type[Scenario] | None) -> type[Self]:
        """The dataclass with the options that what is given on a command line makes known (`config.first_look`).

        Raises:
            InputError: for a name that is not known.
        """
        return cls

    def without_use(self) -> Mapping[str, str]:
        """Options that the others leave without use, and that are refused where they are given, whatever their value.

        Returns:
            name of an option of the command, or of a group of options -> the end of the sentence "OPTION VALUE ...".
        """
        return {}

    def scenario_without_use(self) -> Mapping[str, str]:
        """The same of options of the scenario."""
        return {}


@dataclass(frozen=True, kw_only=True)
class Seeded(Options):
    """The seed of a run."""

    seed: int = option(0, "random seed", low=0, high=MOST_SEED, metavar="S")


@dataclass(frozen=True, kw_only=True)
class Parallel(Options):
    """How many processes work at once."""

    jobs: int = option(
        default_factory=usable_processors,
        help="number of worker processes; the result does not depend on it (default: all usable processors)",
        low=1,
        high=1024,
        metavar="N",
        recorded=False,
    )


@dataclass(frozen=True, kw_only=True)
class Printed(Options):
    """How the result is printed."""

    json: bool = option(False, "print the result as JSON", recorded=False)


@dataclass(frozen=True, kw_only=True)
class DryRun(Options):
    """Whether anything is done."""

    dry_run: bool = option(False, "check the input, show what would run, and exit", recorded=False)


@dataclass(frozen=True, kw_only=True)
class Replacing(Options):
    """Whether files of another kind are written over."""

    force: bool = option(False, "overwrite an existing file even if it is of another kind", recorded=False)
