"""Options of the commands that compute figures: `pmtwin figures` and `pmtwin run`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pmtwin.config.shared import CommandConfig, DryRun, Parallel, Printed, Seeded
from pmtwin.scenarios.registry import DEFAULT, FORM, SHIPPED, load_scenario, scenario_names
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.options import option


@dataclass(frozen=True, kw_only=True)
class PipelineConfig(CommandConfig, Seeded, Parallel, DryRun, Printed):
    """Options of both commands.

    Args:
        words: a scenario (default: see `scenario`), and names of its figures.

    Raises:
        InputError: if the output folder is a file, or the folder of measurements does not exist.
    """

    words: tuple[str, ...] = option(
        (), f"scenario ({', '.join(scenario_names())}, or {FORM}), names of its figures, or both (default: all)",
        metavar="WORD", positional=True, words="*",
    )  # fmt: skip
    output: Path = option(Path("results"), "folder of results", metavar="DIR", short="-o", recorded=False)
    full: bool = option(False, "run the full campaign instead of the quick one")
    data: Path | None = option(
        None, "folder of measurements (default: ../shared/data/optane if it exists)", metavar="DIR"
    )

    def __post_init__(self):
        super().__post_init__()
        if self.output.exists() and not self.output.is_dir():
            raise InputError("output", str(self.output), "a folder; this is a file")
        if self.data is not None and not self.data.is_dir():
            raise InputError("data", str(self.data), "an existing folder of measurements")

    @cached_property
    def scenario(self) -> Scenario:
        """The named scenario, or the one that has the named figures, with default options.

        Raises:
            InputError: if the scenario does not exist, or a second one is named.
        """
        specs = [word for word in self.words if is_scenario(word)]
        if len(specs) > 1:
            raise InputError("scenario", specs[1], "one scenario", wrong=f"is a second scenario beside {specs[0]}")
        return load_scenario(specs[0] if specs else self._scenario_of_names())()

    def _scenario_of_names(self) -> str:
        """The first shipped scenario, beginning with the default one, that has all named figures.

        Raises:
            InputError: for an unknown figure, or figures of several scenarios.
        """
        if not self.names:
            return DEFAULT
        from pmtwin.pipeline.declared import pipeline_of

        scenarios = scenario_names()
        figures = {name: {entry.name for entry in pipeline_of(load_scenario(name)()).entries} for name in scenarios}
        for name in scenarios:
            if set(self.names) <= figures[name]:
                return name
        known = set().union(*figures.values())
        for word in self.names:
            if word not in known:
                raise unknown_name("figure or scenario", word, {*known, *scenarios})
        raise InputError("figures", self.names, "figures of one scenario (pmtwin list figures)")

    @property
    def names(self) -> list[str]:
        """The named figures without repetition."""
        return list(dict.fromkeys(word for word in self.words if not is_scenario(word)))


def is_scenario(word: str) -> bool:
    """Whether a word names a scenario rather than a figure."""
    return word in SHIPPED or ".py:" in word
