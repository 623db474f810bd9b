"""The journal of a probe: a line of JSON for each finished visit to a case, synced to disk before the next visit.

The journal NAME.journal lies beside the result NAME until the result is complete. Its first line holds the request; a
probe continues a journal only with the same request. Nothing is written before the first visit is finished, when all
inputs have been checked; until then an older journal that `--force` replaces is kept.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import uuid
from pathlib import Path
from typing import Any

from pmtwin.calibrate.probing.entries import check_entry
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.checkpoint import differences
from pmtwin.sim.files.json_file import parse_json
from pmtwin.sim.files.writing import sync_folder

FORMAT, SCHEMA_VERSION = "pmtwin-probe-journal", 1
BEGINNING = json.dumps({"format": FORMAT}).encode()[:-1]
"""Beginning of the first line."""
OPTION = "--output"
ANEW = "--force starts anew"


def journal_path(output: str | os.PathLike) -> Path:
    """Path of a result's journal."""
    return Path(f"{os.fspath(output)}.journal")


class Journal:
    """The journal of one probe, held open and locked.

    Args:
        path: of the journal.
        request: the request, which has to be the same when the probe continues.
        force: whether to start anew; the content of an existing file is discarded when the first visit is written.

    Attributes:
        entries: the entries, one for each line after the first.
        resumed: whether the journal had entries when it was opened.

    Raises:
        InputError: another probe uses the journal, the file is not a journal or is damaged, or its request differs.
    """

    def __init__(self, path: Path, request: dict, force: bool = False):
        self.path = path
        self._file = _open_locked(path)
        try:
            text = b"" if force else self._whole_lines()
            self.entries: list[dict] = []
            if text:
                self.header, *self.entries = _parsed(text, path)
                _check_same("asked", self.header["asked"], request, path)
            else:
                self.header = {"format": FORMAT, "schema_version": SCHEMA_VERSION, "probe_id": uuid.uuid4().hex}
                self.header |= {"asked": request}
            self.resumed = bool(self.entries)
            self._begun = bool(text)
            if not force:
                os.ftruncate(self._file, len(text))
        except BaseException:
            self._close()
            raise

    @property
    def probe_id(self) -> str:
        """Identifies this probe; the result contains the same id."""
        return self.header["probe_id"]

    def append(self, entry: dict) -> None:
        """Add an entry. From the first case on, all entries are synced to disk when the method returns."""
        self.entries.append(entry)  # first: an interrupt during the write must not hide a line that is there
        try:
            if self._begun:
                self._append([entry])
            elif "case" in entry:
                os.ftruncate(self._file, 0)
                self._append([self.header, *self.entries])
                self._begun = True
                sync_folder(self.path.parent)
        except OSError:
            self.entries.pop()
            raise

    def check_device(self, identity: dict) -> None:
        """Add the device to the journal, or compare it with the journal's device.

        Raises:
            InputError: the probe began on another device or machine.
        """
        known = self._device()
        if known is None:
            self.append({"device": identity})
        else:
            _check_same("device", known, identity, self.path)

    @property
    def region_bytes(self) -> int | None:
        """Size of the region that the probe began with, from the journal; the default can have changed since."""
        memory = (self._device() or {}).get("memory")
        return memory.get("region_bytes") if isinstance(memory, dict) else None

    def _device(self) -> dict | None:
        return next((entry["device"] for entry in self.entries if "device" in entry), None)

    def remove(self) -> None:
        """Remove the file, when the result is complete."""
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock, and remove a journal without a case."""
        if self._begun and not any("case" in entry for entry in self.entries):
            self.remove()
        self._close()

    def _close(self) -> None:
        if os.fstat(self._file).st_size == 0:
            self.remove()  # opened for the lock alone
        os.close(self._file)

    def _whole_lines(self) -> bytes:
        """The content up to the end of the last whole line; a killed probe can leave a part of a line behind it.

        Raises:
            InputError: the file has no whole line, and what it has is not the beginning of a journal.
        """
        os.lseek(self._file, 0, os.SEEK_SET)
        parts = []
        while part := os.read(self._file, 1 << 20):
            parts.append(part)
        text = b"".join(parts)
        if b"\n" not in text and text[: len(BEGINNING)] != BEGINNING[: len(text)]:
            raise _foreign(self.path, 1)
        return text[: text.rfind(b"\n") + 1]

    def _append(self, entries: list[dict]) -> None:
        lines = b"".join(json.dumps(entry, allow_nan=False).encode() + b"\n" for entry in entries)
        begin = os.lseek(self._file, 0, os.SEEK_END)
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, begin)  # the disk can be full: keep the lines before this write whole
            error.filename = str(self.path)
            raise


def probe_id_of(path: Path) -> str | None:
    """Probe id in a journal file; None if the file is not a readable journal."""
    try:
        with open(path, "rb") as file:
            header = parse_json(file.readline(), OPTION, str(path))
        return header["probe_id"] if header.get("format") == FORMAT else None
    except (OSError, ValueError, KeyError, AttributeError):
        return None


def _open_locked(path: Path) -> int:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    except OSError as error:
        raise InputError(OPTION, str(path), f"a journal that can be written ({error.strerror})") from error
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise InputError(OPTION, str(path), "a regular file for the journal")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise InputError(OPTION, str(path), "a result that no other probe is at work on") from None
    except BaseException:
        os.close(file)
        raise
    return file


def _parsed(text: bytes, path: Path) -> list[dict]:
    first, *lines = text.splitlines()
    header = _value(first, path, 1)
    if not isinstance(header, dict) or header.get("format") != FORMAT or not _is_header(header):
        raise _foreign(path, 1)
    if header.get("schema_version") != SCHEMA_VERSION or isinstance(header["schema_version"], bool):
        raise InputError(OPTION, header.get("schema_version"), f"schema version {SCHEMA_VERSION}; {ANEW}", str(path))
    entries: list[dict] = []
    for number, line in enumerate(lines, 2):
        entries.append(_value(line, path, number))
        try:
            check_entry(entries[-1], f"{path}:{number}")
        except InputError as error:
            raise InputError(error.field, error.value, f"{error.allowed}; {ANEW}", error.where) from error
    return [header, *entries]


def _value(line: bytes, path: Path, number: int) -> Any:
    try:
        value = parse_json(line, OPTION, str(path))
        json.dumps(value, allow_nan=False)  # infinity or NaN could not be written into the result
    except ValueError:
        raise _foreign(path, number) from None
    return value


def _foreign(path: Path, line: int) -> InputError:
    allowed = f"a journal that the probe wrote itself; remove the file or {ANEW}"
    return InputError(OPTION, str(path), allowed, f"{path}:{line}")


def _is_header(value: dict) -> bool:
    return isinstance(value.get("probe_id"), str) and isinstance(value.get("asked"), dict)


def _check_same(what: str, old: dict, new: dict, path: Path) -> None:
    for name, (before, now) in differences(old, new).items():
        field = f"--{name.replace('_', '-')}" if what == "asked" else f"{what}.{name}"
        raise InputError(field, now, f"{before!r}, with which the probe began ({path}); {ANEW}")
