"""Options of the commands that compute figures: `pmtwin figures` and `pmtwin run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pmtwin.config.shared import CommandConfig, DryRun, Parallel, Printed, Seeded
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option


@dataclass(frozen=True, kw_only=True)
class PipelineConfig(CommandConfig, Seeded, Parallel, DryRun, Printed):
    """What both take.

    Raises:
        InputError: for an output folder that is a file, or measurements that are no folder.
    """

    output: Path = option(Path("results"), "folder of results", metavar="DIR", short="-o", recorded=False)
    full: bool = option(False, "the whole campaign of the thesis instead of its quick reduction")
    data: Path | None = option(None, "folder of measurements (../shared/data/optane if it is there)", metavar="DIR")

    def __post_init__(self):
        super().__post_init__()
        if self.output.exists() and not self.output.is_dir():
            raise InputError("output", str(self.output), "a folder; this is a file")
        if self.data is not None and not self.data.is_dir():
            raise InputError("data", str(self.data), "an existing folder of measurements")
