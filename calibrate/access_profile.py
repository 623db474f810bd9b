"""Conversion of counts of `pmtwin-kv-count` to the section `access_profile` of a device's profile.

    python -m pmtwin.calibrate.access_profile kv.json [--key-bytes N] [--into PROFILE.json]

prints the section, or replaces that of a profile's file. The file of counts may have a key `times`, with the output of
`pmtwin-kv-time` under PMEM_NO_FLUSH=1, PMEM_NO_MOVNT=1 and `--benchmark_filter=hot`: the time of the software alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from pmtwin.calibrate.kv_times import OPERATIONS, software_ns, times_of
from pmtwin.sim.device.access_profile import (
    KEY_BYTES,
    OPTIONAL,
    REQUIRED,
    SIZES,
    TRACED_TO,
    check_access_profile,
    count_at,
)
from pmtwin.sim.device.profile import Profile, load_profile, profile_names
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.files.json_file import parse_json

SCHEMA_VERSION = 1
METHODS = {"counted": "counted", "traced": "traced", "stepped": "counted"}
"""Group of a case in the file -> name of the method in the profile."""

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


def access_profile_of(document: object, where: str, key_bytes: int | None = None) -> dict:
    """The section, from the content of a file of `pmtwin-kv-count`.

    Args:
        document: parsed JSON.
        where: the file, for errors.
        key_bytes: size of the keys; None: `KEY_BYTES` if they were counted, else the shortest.

    Raises:
        InputError: another kind of file, another schema, a missing count, or keys of this size were not counted.
    """
    if not isinstance(document, dict) or not isinstance(document.get("cases"), list) or "store" not in document:
        raise InputError("access profile", where, "a file that pmtwin-kv-count wrote")
    if document.get("schema_version") != SCHEMA_VERSION:
        raise InputError("schema_version", document.get("schema_version"), str(SCHEMA_VERSION), where)
    try:
        section = _section(document, key_bytes, where)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise InputError("cases", f"no {error}", "complete cases as pmtwin-kv-count writes them", where) from error
    check_access_profile(section, where)
    if "times" in document:
        _add_software(section, document["times"], where)
    return section


def _section(document: dict, key_bytes: int | None, where: str) -> dict:
    keys = sorted({case["key_bytes"] for case in document["cases"]})
    if key_bytes is None:
        key_bytes = KEY_BYTES if KEY_BYTES in keys else keys[0]
    if key_bytes not in keys:
        raise InputError("--key-bytes", key_bytes, f"one of those counted: {', '.join(map(str, keys))}", where)
    cases = sorted((case for case in document["cases"] if case["key_bytes"] == key_bytes), key=lambda case: case[SIZES])
    section = {"store": document["store"], "store_version": document["pmemkv_version"], "key_bytes": key_bytes}
    if "counted_on" in document:
        section["counted_on"] = document["counted_on"]
    section["methods"] = {name: METHODS[group] for group, names in TAKEN.items() for name in names.values()}
    return section | {"operations": {operation: _table(operation, cases) for operation in REQUIRED}}


def _table(operation: str, cases: list[dict]) -> dict[str, list[float] | float]:
    """Counts of all value sizes; counts that were traced up to a size continue with the last slope."""
    operations = [case["operations"][operation] for case in cases]
    sizes = [case[SIZES] for case in cases]
    traced = [size for size, groups in zip(sizes, operations, strict=True) if "traced" in groups]
    table: dict[str, list[float] | float] = {SIZES: sizes}
    if traced[-1] < sizes[-1]:
        table[TRACED_TO] = traced[-1]
    for group, names in TAKEN.items():
        for source, name in names.items():
            if name in (*REQUIRED[operation], *OPTIONAL):
                known = {SIZES: traced if group == "traced" else sizes}
                known[name] = [groups[group][source] for groups in operations if group in groups]
                counts = count_at({"operations": {operation: known}}, operation, name, np.array(sizes))
                table[name] = [round(float(count), DIGITS) for count in counts]
    return table


def _add_software(section: dict, times: object, where: str) -> None:
    """Add the software times of one thread to the section, at the section's value sizes."""
    hot = times_of(times, where).hot
    for operation in OPERATIONS:
        times_ns = {size: ns for (name, size, threads), ns in hot.items() if (name, threads) == (operation, 1)}
        if not times_ns:
            raise InputError("times", f"none of {operation}", "hot times of one thread, without flushes", where)
        table = section["operations"][operation]
        table["software_ns"] = [round(software_ns(times_ns, size), 1) for size in table[SIZES]]
    section["methods"]["software_ns"] = "timed"


def read_access_profile(path: str | os.PathLike, key_bytes: int | None = None) -> dict:
    """The section from a file of `pmtwin-kv-count`, with the file's name and SHA-256, or from a profile.

    Args:
        path: path of a file of counts or of a profile, or name of a shipped profile.
        key_bytes: as in `access_profile_of`.

    Raises:
        InputError: the file cannot be read or is of another kind, or the profile has no access profile.
    """
    if str(path) in profile_names():
        return _profile_counts(load_profile(path), str(path))
    content = content_of(path, "access profile")
    document = parse_json(content, "access profile", str(path))
    if isinstance(document, dict) and "law_version" in document:
        return _profile_counts(load_profile(path), str(path))
    source = {"name": Path(path).name, "sha256": hashlib.sha256(content).hexdigest()}
    return access_profile_of(document, str(path), key_bytes) | {"source": source}


def _profile_counts(profile: Profile, where: str) -> dict:
    if profile.access_profile is None:
        raise InputError("access profile", where, "a profile that has one, or a file that pmtwin-kv-count wrote")
    return profile.access_profile


def main() -> int:
    """Print the section or put it into a profile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", help="what pmtwin-kv-count printed, or a profile that has it")
    parser.add_argument("--key-bytes", type=int, metavar="N", help="which keys, if several sizes were counted (16)")
    parser.add_argument("--into", metavar="PROFILE", help="profile to change, a JSON file")
    args = parser.parse_args()
    try:
        section = read_access_profile(args.counts, args.key_bytes)
        if args.into:
            replace(load_profile(args.into), access_profile=section).save(args.into)
        else:
            print(json.dumps(section, indent=1))
    except InputError as error:
        print(f"access_profile: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
