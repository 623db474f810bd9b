"""Files of trained policies: npz with arrays and a header of plain values, without pickle: reading one runs no code."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.writing import write_atomically

FIELD = "policy file"
NOT_OURS = "this is not a policy file of pmtwin, or it is damaged"

_UNREADABLE = (
    *(EOFError, ValueError, KeyError, AttributeError, TypeError),
    *(MemoryError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)
"""Exceptions of numpy, zipfile and json for a file of another kind: zipfile raises NotImplementedError for an unknown
compression method, RuntimeError for an encrypted file."""


def write_npz(path: str | Path, header: dict, arrays: dict[str, np.ndarray]) -> Path:
    """Write a file atomically; the same header and arrays give the same bytes.

    Raises:
        InputError: if the path cannot be written.
    """
    text = json.dumps(header, sort_keys=True, allow_nan=False)
    return write_atomically(
        path, lambda file: np.savez(file, header=np.array(text), **cast("dict[str, Any]", arrays)), mode="wb"
    )


def read_npz(path: str | Path, form: str, schema: int, allowed: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of a file.

    Args:
        path: file to read.
        form, schema: format and schema that the header must name.
        allowed: the expected content, for errors.

    Raises:
        InputError: if the file is absent, unreadable, truncated, or of another format or schema.
    """
    header, arrays = _read(path, allowed)
    if header.get("format") != form or header.get("schema") != schema:
        present = f"{header.get('format')} schema {header.get('schema')}"
        known = f"{form} schema {schema}: {allowed} (trained:FILE takes any trained file)"
        raise InputError(FIELD, present, known, str(path))
    return header, arrays


def read_form(path: str | Path, allowed: str) -> str:
    """The format that the header of a file names.

    Args:
        path: file to read.
        allowed: the expected content, for errors.

    Raises:
        InputError: if the file is absent, unreadable or truncated, or no policy file.
    """
    return str(_read(path, allowed)[0].get("format"))


def _read(path: str | Path, allowed: str) -> tuple[dict, dict[str, np.ndarray]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")[()]))
        if not isinstance(header, dict):
            raise ValueError("its header is no object")
    except FileNotFoundError as error:
        raise InputError(FIELD, str(path), "an existing file") from error
    except OSError as error:
        raise InputError(FIELD, str(path), f"{allowed} ({error.strerror or NOT_OURS})") from error
    except _UNREADABLE as error:
        raise InputError(FIELD, str(path), f"{allowed} ({NOT_OURS})") from error
    return header, arrays
