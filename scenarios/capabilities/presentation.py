"""Capability: the scenario's place on the command line: help, figures, lists, explanations, and commands of its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.scenarios.capabilities.real_side import WithRealSide


class WithPresentation(WithRealSide):
    """A scenario that adds to commands.

    Class attributes:
        everyday: names of the options that `--help` shows; `--help-all` shows the rest.
        examples: name of a command -> lines for the end of its help.
        figures: dotted module with the `PIPELINE` of `pmtwin figures` and `pmtwin run`; empty: its baselines alone.
        listings: dotted module whose `LISTINGS` (name -> `scenarios.listing.Listing`) `pmtwin list` shows; empty: none.
        warming: dotted module whose `CASES` (name of a command -> small command lines that call all that it compiles,
            in a folder with `FILES`, name -> text) `pmtwin warm` runs; empty: none.
        explained: dotted module with `explain` (`pmtwin.scenarios.simulation.explanation.Explain`), its number of
            `steps`, and `check`, which raises `InputError` where no explanation is possible; empty: `pmtwin simulate
            --explain` is refused.
        pictures: dotted module whose `drawings(result, scenario)` gives title -> drawing for the report of an
            evaluation; empty: none.
        variants: values of options, of each variant of the system that `pmtwin list scenarios NAME` describes beside
            the usual one.
        commands: name of a command -> dotted module with what the scenario adds to it: `Config`, derived from the
            command's own, with more options, and `run(config)`.
    """

    everyday: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    figures: ClassVar[str] = ""
    listings: ClassVar[str] = ""
    warming: ClassVar[str] = ""
    explained: ClassVar[str] = ""
    pictures: ClassVar[str] = ""
    variants: ClassVar[tuple[Mapping[str, Any], ...]] = ()
    commands: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @classmethod
    def named_modules(cls, measured: bool = False) -> tuple[str, ...]:
        """Modules that the declaration names; they do not affect the scenario's results.

        Args:
            measured: whether to include the module of the real system.
        """
        real = [cls.measured] if measured else []
        shown = (cls.figures, cls.pictures, cls.listings, cls.explained, *cls.commands.values())
        named = (*shown, cls.inference, cls.host_probe, *real)
        return tuple(name.partition(":")[0] for name in named if isinstance(name, str) and name)
