"""File of a block device: what `pmtwin calibrate --form block` writes, and a configuration names by its path."""

from __future__ import annotations

import os
from typing import Any

import msgspec
from msgspec import Struct

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.json_file import read_json
from pmtwin.sim.files.typed_json import NotNegative, Positive, typed

FORMAT, VERSION = "pmtwin-block-device", 1
SAMPLES = "samples"
"""Entry of the record: parameters of further devices that the measurements allow, a mapping each."""

WANTED = "a file that `pmtwin calibrate --form block` wrote"


class DeviceFile(Struct):
    """A block device in a file; fields as of `devices.BlockDevice`, and where they come from.

    Fields:
        record: provenance: sources, command, errors of the fit.
    """

    name: str
    read_gb_s: Positive
    write_gb_s: Positive
    read_us: NotNegative
    write_us: NotNegative
    capacity_gb: Positive
    read_iops: NotNegative = 0.0
    write_iops: NotNegative = 0.0
    seek_us: NotNegative = 0.0
    cached_write_us: NotNegative | None = None
    read_wake_us: NotNegative = 0.0
    write_wake_us: NotNegative = 0.0
    wake_half_us: NotNegative = 0.0
    record: dict[str, Any] = {}

    def sampled(self, number: int, where: str) -> DeviceFile:
        """The device with the parameters of a sample, counted from 0.

        Raises:
            InputError: if the file has fewer samples, or what is none, or a value out of range.
        """
        samples = typed(f"record.{SAMPLES}", self.record.get(SAMPLES, []), list[dict[str, Any]], where)
        if number >= len(samples):
            allowed = f"at most {len(samples)}, the samples of the file (pmtwin calibrate --form block --bootstrap N)"
            raise InputError("device_samples", number + 1, allowed, where)
        return typed("device", self.document() | samples[number], DeviceFile, where, within="")

    def document(self) -> dict:
        """The file's content, in JSON's own types."""
        return {"format": FORMAT, "version": VERSION, **msgspec.to_builtins(self)}


def read_device(path: str | os.PathLike) -> DeviceFile:
    """The device in a file.

    Raises:
        InputError: another kind or version of file, a missing field or a value out of range.
    """
    content, where = read_json(path, "device", WANTED), os.fspath(path)
    document = content if isinstance(content, dict) else {}
    if document.get("format") != FORMAT:
        raise InputError("format", document.get("format"), f"{FORMAT}: {WANTED}", where)
    if document.get("version") != VERSION:
        raise InputError("version", document.get("version"), f"{VERSION}: calibrate again with this version", where)
    return typed("device", content, DeviceFile, where, within="")
