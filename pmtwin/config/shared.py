"""Options that several commands share."""

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
        command: name of the command.
        everyday: names of the options that `--help` shows besides the required ones; empty: all. `--help-all` shows
            all.
        runs_user_code: whether code of a user's file may run. Its prints go to standard error, and
            `pmtwin.sim.common.standard_output.results` encloses the prints of the command.
        replaced: names of the scenario's options that options of the command replace.
        alternatives: name of a group of options, for errors -> names of its options, of which one must be given.
        meant: the alternative group of options (`Options.alternative`) that a name shared by several groups refers to;
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
        """The dataclass of options, which may depend on the words of the command line (`config.first_look`).

        Raises:
            InputError: for an unknown name.
        """
        return cls

    def without_use(self) -> Mapping[str, str]:
        """Options that have no use beside the values of other options, and are refused if the user gives them.

        Returns:
            name of an option of the command, or of a group of options -> end of the error "OPTION VALUE ...".
        """
        return {}

    def scenario_without_use(self) -> Mapping[str, str]:
        """The same for options of the scenario."""
        return {}


@dataclass(frozen=True, kw_only=True)
class Seeded(Options):
    """The seed of a run."""

    seed: int = option(0, "random seed", low=0, high=MOST_SEED, metavar="S")


@dataclass(frozen=True, kw_only=True)
class Parallel(Options):
    """The number of worker processes."""

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
    """The dry run."""

    dry_run: bool = option(False, "check the input, show what would run, and exit", recorded=False)


@dataclass(frozen=True, kw_only=True)
class Replacing(Options):
    """Overwriting of files of another kind."""

    force: bool = option(False, "overwrite an existing file even if it is of another kind", recorded=False)
