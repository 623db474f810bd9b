"""From the counts of `pmtwin-kv-count` to the section `access_profile` of a device's profile (`sim.access_profile`).

    python -m calibrate.access_profile kv.json [--into PROFILE.json]

prints the section, or puts it into a profile's file in place of the one it has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from sim.access_profile import OPTIONAL, REQUIRED, SIZES, check_access_profile
from sim.device.profile import Profile, load_profile
from sim.errors import InputError

SCHEMA_VERSION = 1
KEY_BYTES = 16
"""Keys of the access profile, if several sizes were counted and these are among them; else the first."""

METHODS = {"counted": "counted", "traced": "traced", "stepped": "counted"}
"""Group of a case in the file -> how the profile names the method."""

TAKEN = {
    "counted": {
        "rounds": "rounds",
        "flushed_lines": "flushed_lines",
        "streamed_bytes": "streamed_bytes",
        "flush_calls": "flush_calls",
        "fences": "fences",
        "copied_bytes": "copied_bytes",
        "log_bytes": "log_bytes",
        "media_lines": "media_lines",
        "media_line_writes": "media_line_writes",
    },
    "traced": {
        name: name for name in ("dependent_reads", "cold_lines", "cold_media_lines", "value_lines", "shared_lines")
    },
}
DIGITS = 4


def access_profile_of(document: object, where: str) -> dict:
    """The section, from the content of a file of `pmtwin-kv-count`.

    Args:
        document: parsed JSON.
        where: the file, for errors.

    Raises:
        InputError: another kind of file, another schema, or a count is missing.
    """
    if not isinstance(document, dict) or not isinstance(document.get("cases"), list) or "store" not in document:
        raise InputError("access profile", where, "a file that pmtwin-kv-count wrote")
    if document.get("schema_version") != SCHEMA_VERSION:
        raise InputError("schema_version", document.get("schema_version"), str(SCHEMA_VERSION), where)
    try:
        section = _section(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError("cases", f"no {error}", "complete cases as pmtwin-kv-count writes them", where) from error
    check_access_profile(section, where)
    return section


def _section(document: dict) -> dict:
    keys = sorted({case["key_bytes"] for case in document["cases"]})
    key_bytes = KEY_BYTES if KEY_BYTES in keys else keys[0]
    cases = sorted((case for case in document["cases"] if case["key_bytes"] == key_bytes), key=lambda case: case[SIZES])
    operations = {}
    for operation in REQUIRED:
        # large puts and inserts are not traced
        whole = [case for case in cases if set(TAKEN) <= set(case["operations"][operation])]
        operations[operation] = {SIZES: [case[SIZES] for case in whole]} | _tables(operation, whole)
    return {
        "store": document["store"],
        "store_version": document["pmemkv_version"],
        "key_bytes": key_bytes,
        "methods": {name: METHODS[group] for group, names in TAKEN.items() for name in names.values()},
        "operations": operations,
    }


def _tables(operation: str, cases: list[dict]) -> dict[str, list[float]]:
    tables = {}
    for group, names in TAKEN.items():
        for source, name in names.items():
            if name in (*REQUIRED[operation], *OPTIONAL):
                tables[name] = [round(float(case["operations"][operation][group][source]), DIGITS) for case in cases]
    return tables


def read_access_profile(path: str | os.PathLike) -> dict:
    """The section from a file of `pmtwin-kv-count`, with the name and SHA-256 of the file.

    Raises:
        InputError: the file cannot be read or is not one of those.
    """
    try:
        content = Path(path).read_bytes()
        document = json.loads(content)
    except OSError as error:
        raise InputError("access profile", str(path), f"a readable file ({error.strerror})") from error
    except ValueError as error:
        raise InputError("access profile", str(path), f"a whole JSON file ({error})") from error
    source = {"name": Path(path).name, "sha256": hashlib.sha256(content).hexdigest()}
    return access_profile_of(document, str(path)) | {"source": source}


def with_access_profile(profile: Profile, path: str | os.PathLike) -> Profile:
    """The profile with the access profile of a file of `pmtwin-kv-count`."""
    return replace(profile, access_profile=read_access_profile(path))


def main() -> int:
    """Print the section or put it into a profile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", help="what pmtwin-kv-count printed")
    parser.add_argument("--into", metavar="PROFILE", help="profile to change, a JSON file")
    args = parser.parse_args()
    try:
        if args.into:
            with_access_profile(load_profile(args.into), args.counts).save(args.into)
        else:
            print(json.dumps(read_access_profile(args.counts), indent=1))
    except InputError as error:
        print(f"access_profile: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
