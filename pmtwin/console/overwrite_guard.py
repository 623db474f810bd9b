"""The rule by which commands overwrite existing files.

Without `--force`, a command replaces only an empty file or an earlier result of the same kind, which the same command
could compute again; it writes atomically (`sim.files.writing`). `pmtwin probe` replaces nothing without `--force`, as
measurements cannot be computed again.
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
    """A kind of output file.

    Args:
        name: name of the kind in errors, such as "an earlier profile".
        keys: entries that all files of the kind have: keys of the JSON object, names of arrays of an npz file or of
            columns of a CSV file, or the generator of an HTML page.
        values: required values of some of the keys.
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
BLOCK_DEVICE = Kind("an earlier device", ("read_gb_s", "write_gb_s"), (("format", "pmtwin-block-device"),))
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
"""Pattern of the generator of an HTML page, and the number of first characters in which it stands."""


def check_output(path: str | os.PathLike, option: str, kind: Kind | None, force: bool) -> Path:
    """Check that a file can be written and may be replaced, before long work; returns its path.

    Args:
        path: path of the file.
        option: option that names it, for errors.
        kind: kind of files that may be replaced; None: no file.
        force: whether any file may be replaced.

    Raises:
        InputError: if the file cannot be written or may not be replaced.
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
    """Check that a report can be written into a folder and may replace the files there, before long work.

    Args:
        folder: folder of the report.
        command: command of the report; an earlier report of the same command may be replaced.
        force: whether any file may be replaced.
        files: patterns of the report's files other than the page; only an earlier report's may be replaced.
        page: name of the page.
        option: option that names the folder, for errors.

    Raises:
        InputError: if the folder cannot be written, or has a file that may not be replaced.
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
