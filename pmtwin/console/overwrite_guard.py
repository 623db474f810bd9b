"""Which file a command may write over: one rule for all of them.

Over an empty file, or an earlier result of the same kind, whole or not at all (`sim.files.writing`): the same command
gives that again. Any other file stays unless `--force` is given. What was measured is not given again: `pmtwin probe`
writes over nothing without `--force`.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pmtwin.figures.page.generator import PAGE, generator
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.files.writing import check_folder, check_writable


@dataclass(frozen=True)
class Kind:
    """What a file of ours holds.

    Args:
        name: as "an earlier profile", for the error.
        keys: of the JSON object, the names of the arrays in an npz file or of the columns in a CSV file, or the
            generator of an HTML page; what all files of the kind have.
        values: of some of the keys.
    """

    name: str
    keys: tuple[str, ...]
    values: tuple[tuple[str, object], ...] = ()

    def recognises(self, path: Path) -> bool:
        """Whether the file at `path` is of this kind."""
        try:
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    return {f"{key}.npy" for key in self.keys} <= set(archive.namelist())
            if path.suffix == ".csv":
                return set(self.keys) <= set(path.read_text(encoding="utf-8").partition("\n")[0].split(","))
            if path.suffix == ".html":
                return set(self.keys) <= set(_GENERATOR.findall(path.read_text(encoding="utf-8")[:_HEAD]))
            value = read_json(path, "output")
        except (InputError, OSError, UnicodeDecodeError, zipfile.BadZipFile):
            return False
        return isinstance(value, dict) and set(self.keys) <= set(value) and dict(self.values).items() <= value.items()


PROFILE = Kind("an earlier profile", ("law_version", "parameters", "fitted_range"))
STORE = Kind("an earlier store", ("fits", "fitted_range"), (("format", "pmtwin-store"),))
REGRESSION = Kind("an earlier regression", ("formula", "terms"), (("format", "pmtwin-regression"),))
STEERING = Kind("an earlier export", ("policy",), (("format", "pmtwin-steering-policy"),))
EVALUATION = Kind("an earlier evaluation", ("schema_version", "scenario", "policies", "configuration"))
SERIES = Kind("an earlier series", ("policies", "reward"))
LATENCIES = Kind("an earlier dump", ("window", "class", "latency_us"))
POLICY = Kind("an earlier policy", ("header",))
NETWORK = Kind("an earlier network", ("header", "scaling", "weights_0"))
HOST = Kind("an earlier inference", ("parameters", "draws", "inference"), (("format", "pmtwin-host"),))
RUN = Kind("the record of an earlier run", ("schema_version", "scenario", "campaign", "steps"))
TRAINING = Kind("the record of an earlier training", ("origin", "plan", "configuration"))

_GENERATOR, _HEAD = re.compile('<meta name="generator" content="([^"]*)">'), 1000
"""The mark of a page, among its first characters."""


def check_output(path: str | os.PathLike, option: str, kind: Kind | None, force: bool) -> Path:
    """The path, if a file can be written there and nothing that the rule protects is lost; before any long work.

    Args:
        kind: what may be replaced; None: nothing.

    Raises:
        InputError: naming the option.
    """
    path = check_writable(path, option)
    if force or not os.path.lexists(path):
        return path
    if kind is None:
        raise InputError(option, str(path), "a new file, or --force to overwrite this one", wrong="exists")
    if path.stat().st_size and not kind.recognises(path):
        allowed = f"a new file, {kind.name}, or --force to overwrite this one"
        raise InputError(option, str(path), allowed, wrong="exists and is another file")
    return path


def check_report(
    folder: str | os.PathLike,
    command: str,
    force: bool,
    files: Sequence[str] = (),
    page: str = PAGE,
    option: str = "--report",
) -> None:
    """Check that a report can be written into a folder and nothing that the rule protects is lost; before long work.

    Args:
        command: whose report it is; it replaces an earlier report of this command.
        files: patterns of the files that go beside the page; without an earlier report they are not its own.
        page: name of the report's page. option: what names the folder.

    Raises:
        InputError: naming the option.
    """
    check_folder(folder, option)
    path = Path(folder) / page
    if os.path.lexists(path):
        check_output(path, option, Kind(f"an earlier report of {generator(command)}", (generator(command),)), force)
        return
    others = sorted(path for pattern in files for path in Path(folder).glob(pattern))
    if others and not force:
        allowed = "a new folder, one with an earlier report, or --force to overwrite this file"
        raise InputError(option, str(others[0]), allowed, wrong="exists and is of no report")
