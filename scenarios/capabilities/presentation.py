"""Capability: the scenario's additions to the command line: help, figures, lists, explanations, options of commands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.scenarios.capabilities.real_side import WithRealSide


class WithPresentation(WithRealSide):
    """A scenario that adds to commands.

    Class attributes:
        everyday: names of the options that `--help` shows; `--help-all` shows the others.
        examples: name of a command -> lines for the end of its help.
        figures: dotted module with the `PIPELINE` of `pmtwin figures` and `pmtwin run`; empty: only its baselines.
        warming: dotted module with `CASES` for `pmtwin warm`: name of a command -> small command lines that compile all
            code that it uses; they run in a folder with the module's `FILES`, name -> text; empty: none.
        explained: dotted module with `explain` (`pmtwin.scenarios.simulation.explanation.Explain`), its number of
            `steps`, and `check`, which raises `InputError` if no explanation is possible; empty: `pmtwin simulate
            --explain` is refused.
        pictures: dotted module whose `drawings(result, scenario)` returns title -> drawing for the report of an
            evaluation; empty: none.
        variants: values of options for each further variant of the system that `pmtwin list scenarios NAME` describes.
        commands: name of a command -> dotted module with the scenario's additions: `Config`, derived from the command's
            class, with more options, and `run(config)`.
    """

    everyday: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    figures: ClassVar[str] = ""
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
        modules = (cls.figures, cls.pictures, cls.explained, *cls.commands.values())
        named = (*modules, cls.inference, cls.host_probe, *real)
        return tuple(name.partition(":")[0] for name in named if isinstance(name, str) and name)
