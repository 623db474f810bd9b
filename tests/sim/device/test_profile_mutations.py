"""A profile with anything wrong in it is refused by name, or it can be used: never an error of another kind."""

import copy
import json
import re

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.sim.device import PATTERNS, load_profile, predict, sample_profiles
from pmtwin.sim.device.profile import profile_from_json
from pmtwin.sim.errors import InputError

WRONG = (None, "wide", "7", [], [None, 4], {}, {"load": 3}, -1.0, 0, True, float("nan"), float("inf"), 1e300)
UNREAD = ("record",)
"""Told to people, read by nothing that computes."""


@pytest.fixture(scope="module")
def content():
    return load_profile().to_json()


def paths(value, path=()):
    """Every object, list and leaf; of a long list the first two items and the last, all of which are alike."""
    yield path
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(index, value[index]) for index in sorted({0, 1, len(value) - 1} & set(range(len(value))))]
    else:
        items = []
    for key, item in items:
        if (*path, key)[0] not in UNREAD:
            yield from paths(item, (*path, key))


def changed(content, path, value):
    """A copy along the path only; the rest is shared."""
    if not path:
        return value
    copied = copy.copy(content)
    copied[path[0]] = changed(content[path[0]], path[1:], value)
    return copied


def use(profile):
    """All that is computed from a profile: a prediction of each kind, and a sample."""
    columns = [
        (operation, pattern, mix)
        for operation, boxes in profile.fitted_range.items()
        for pattern in PATTERNS
        for mix in (
            False,
            operation != "load" and any(box["pattern"] == pattern for box in profile.fitted_range["load"]),
        )
        if operation in profile.parameters and any(box["pattern"] == pattern for box in boxes)
    ]
    n = len(columns)
    operations, patterns, mixed = map(np.array, zip(*columns, strict=True))
    points = {
        "operation": np.where(mixed, "mixed", operations),
        "pattern": patterns,
        "write_operation": np.where(mixed, operations, ""),
        "access_size_bytes": np.full(n, 256.0),
        "threads": np.full(n, 8.0),
        "read_threads": np.full(n, 4.0),
        "write_threads": np.full(n, 4.0),
        "dimms": np.full(n, 6.0),
        "power_w": np.full(n, 15.0),
    }
    strides = np.where(patterns == "sequential", 1024.0, 0.0)
    varied = {"stride_bytes": strides, "fence_interval_bytes": 256.0, "remote": True}
    each = {name: np.tile(column, len(varied)) for name, column in points.items()}
    for index, (name, value) in enumerate(varied.items()):
        column = np.zeros((len(varied), n), dtype=bool if value is True else float)
        column[index] = value
        each[name] = column.ravel()
    with np.errstate(all="ignore"):
        predict(profile, points)
        predict(profile, each | {"offered_mib_s": np.full(n * len(varied), 500.0)})
        if profile.uncertainty:
            sample_profiles(profile, 1)


def test_anything_wrong_is_refused_by_name_or_can_be_used(content):
    everything = list(paths(content))[1:]
    rng = np.random.default_rng(0)
    refused = 0
    assert len(everything) > 1000
    for path in [everything[i] for i in rng.permutation(len(everything))[:200]]:
        for wrong in [WRONG[i] for i in rng.permutation(len(WRONG))[:2]]:
            try:
                profile = profile_from_json(changed(content, path, wrong), "p.json")
            except InputError as error:
                refused += 1
                keys = [key for key in path if isinstance(key, str)]
                assert any(re.search(rf"\b{key}\b", str(error)) for key in keys[-2:]), f"{path}: {error}"
                continue
            try:
                use(profile)
            except InputError:
                pass
            except Exception as error:
                raise AssertionError(f"{path} = {wrong!r}: {type(error).__name__}: {error}") from error
    assert refused > 150


@pytest.mark.parametrize("section", ["effects", "uncertainty", "intervals", "fitted_range", "tail", "access_profile"])
def test_wrong_sections_are_refused_by_name(content, section):
    for wrong in ([], {"load": 3}, "wide", -1.0):
        with pytest.raises(InputError, match=section):
            profile_from_json(content | {section: wrong}, "p.json")


@pytest.mark.parametrize(
    ("path", "wrong", "named"),
    [
        (("fitted_range", "load", 0, "threads"), [None, 4], r"fitted_range.load\[0\].threads\[0\] is missing"),
        (("fitted_range", "load", 0, "threads"), [9, 4], r"fitted_range.load\[0\].threads: \[9"),
        (("uncertainty",), {"load": 3}, "uncertainty.load: 3"),
        (("uncertainty", "load", "deviations", 1), [0.1], r"uncertainty.load.deviations\[1\]: '1 numbers'"),
        (("uncertainty", "load", "parameters", 0), "x", r"uncertainty.load.parameters\[0\]: 'x'"),
        (("effects",), {"strides": []}, r"effects.strides: \[\]"),
        (("effects", "strides", "load", "log_half_width"), "wide", "effects.strides.load.log_half_width: 'wide'"),
        (("effects", "strides", "load", "log_half_width"), [0.1], "effects.strides.load.log_half_width: "),
        (("effects", "fences", "load", "log_half_width"), [], "effects.fences.load.log_half_width: "),
        (("effects", "fences", "load", "fitted_range", 0, "threads"), [1], r"fitted_range\[0\].threads: \[1\]"),
        (("parameters", "load", "softness"), 0.0, "parameters.load.softness: 0.0"),
        (("effects", "fences", "load", "parameters", "overlap_norm"), 0, "fences.load.parameters.overlap_norm: 0"),
        (("tail", "stall_probability"), 1.5, "tail.stall_probability: 1.5"),
        (("tail", "stall_region_bytes"), 0, "tail.stall_region_bytes: 0"),
        (("intervals", "operations", "load", "cells"), [], "intervals.operations.load.cells"),
        (("access_profile", "methods"), None, "access_profile.methods is missing"),
    ],
)
def test_what_used_to_pass_is_refused(content, path, wrong, named):
    with pytest.raises(InputError, match=f"^p.json: .*{named}"):
        profile_from_json(changed(content, path, wrong), "p.json")


def test_the_command_line_names_the_field_and_ends_with_exit_code_2(content, tmp_path, capsys):
    (tmp_path / "points.csv").write_text("operation,pattern,threads,access_size_bytes,dimms\nload,random,4,256,6\n")
    wrong = changed(content, ("fitted_range", "load", 0, "threads"), [None, 4])
    (tmp_path / "p.json").write_text(json.dumps(wrong))
    assert main(["predict", str(tmp_path / "points.csv"), "--profile", str(tmp_path / "p.json")]) == 2
    shown = capsys.readouterr()
    assert "fitted_range.load[0].threads[0] is missing" in shown.err and not shown.out and "Traceback" not in shown.err
