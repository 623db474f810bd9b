"""The profile: found by name or path, the same after a round trip, refused when anything in it is wrong."""

import copy
import json

import numpy as np
import pytest

from pmtwin.sim.device import DEFAULT_PROFILE, OPERATIONS, load_profile, profile_names
from pmtwin.sim.device.latency import loaded_latency_ns
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.profile import profile_from_json
from pmtwin.sim.device.ranges import extrapolated
from pmtwin.sim.errors import InputError


@pytest.fixture(scope="module")
def shipped():
    return load_profile()


@pytest.fixture
def content(shipped) -> dict:
    return copy.deepcopy(shipped.to_json())


def test_the_default_profile_is_shipped(shipped):
    assert DEFAULT_PROFILE in profile_names()
    assert shipped.name == DEFAULT_PROFILE
    assert tuple(shipped.parameters) == OPERATIONS


def test_a_profile_survives_a_round_trip(shipped, tmp_path):
    again = load_profile(shipped.save(tmp_path / "p.json"))
    assert again == shipped
    assert again.record == shipped.record
    assert shipped.save(tmp_path / "q.json").read_bytes() == (tmp_path / "p.json").read_bytes()


def test_an_unknown_name_gets_the_nearest_known_one():
    with pytest.raises(InputError, match="did you mean 'optane-dcpmm-100'"):
        load_profile("optane-dcpmm-10")


def drop(*keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return change


def put(value, *keys):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (drop("parameters"), "parameters"),
        (drop("parameters", "load", "media_mib_s"), "media_mib_s"),
        (drop("idle_latency_ns", "load", "random"), "random"),
        (drop("queue_line_ns", "ntstore"), "ntstore"),
        (drop("tail", "stall_ns"), "stall_ns"),
        (drop("fitted_range", "store"), "store"),
        (put(2, "schema"), "schema"),
        (put(99, "law_version"), "law_version"),
        (put(float("nan"), "parameters", "load", "media_mib_s"), "media_mib_s"),
        (put("fast", "parameters", "load", "media_mib_s"), "media_mib_s"),
        (put(-1.0, "tail", "stall_ns"), "stall_ns"),
        (put(1.0, "parameters", "load", "media_mibs"), "did you mean 'media_mib_s'"),
        (put({}, "parameters", "loads"), "did you mean 'load'"),
        (put({}, "parameters"), "parameters"),
        (put([64], "fitted_range", "load", 0, "threads"), "threads"),
    ],
)
def test_a_wrong_profile_is_refused_by_the_name_of_what_is_wrong(content, change, named):
    change(content)
    with pytest.raises(InputError, match=named):
        profile_from_json(content, "p.json")


CELL = ("intervals", "operations", "load", "cells", 0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (put({"a": 1}, "residual"), r"residual\.operations is missing"),
        (put([], "residual"), r"residual: \[\]"),
        (put([], "residual", "operations"), r"residual.operations: \[\]"),
        (put([], "residual", "operations", "loads"), "residual.operations: 'loads'.*did you mean 'load'"),
        (put({}, "residual", "operations", "load"), "residual.operations.load: a table"),
        (drop("residual", "operations", "load", 0, "log_ratio"), r"load\[0\]\.log_ratio is missing"),
        (put([1.0], "residual", "operations", "load", 0, "log_ratio"), r"load\[0\]\.log_ratio\[0\]: 1.0"),
        (put("rnd", "residual", "operations", "load", 0, "pattern"), r"load\[0\].pattern: 'rnd'"),
        (put([], "intervals"), r"intervals: \[\]"),
        (put({}, "intervals"), r"intervals\.operations is missing"),
        (drop("intervals", "operations", "store"), r"intervals\.operations\.store is missing"),
        (put(-1, "intervals", "operations", "load", "mechanism_half_width"), "load.mechanism_half_width: -1"),
        (put([[[-0.1]]], *CELL, "half_width"), "half_width"),
        (drop(*CELL, "half_width"), r"load.cells\[0\]\.half_width is missing"),
        (put("6", *CELL, "dimms"), r"load.cells\[0\].dimms: '6'"),
        (put([float("nan")] * 3, *CELL, "power_w"), r"load.cells\[0\].power_w\[0\]: nan"),
        (put(7, "fitted_range", "load"), "fitted_range.load: 7"),
    ],
)
def test_malformed_tables_are_refused_by_name(content, change, named):
    change(content)
    with pytest.raises(InputError, match=f"^p.json: .*{named}"):
        profile_from_json(content, "p.json")


def test_tables_may_be_absent(content):
    content |= {"residual": None}
    del content["intervals"]
    profile = profile_from_json(content, "p.json")
    assert profile.residual is None and profile.intervals is None


def test_a_missing_key_is_named_without_a_list_of_those_present(content):
    del content["tail"]
    with pytest.raises(InputError, match=r"^p\.json: profile\.tail is missing") as error:
        profile_from_json(content, "p.json")
    assert "queue_line_ns" not in str(error.value)


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe\0", b"[]", b"null"])
def test_a_file_that_is_no_profile_is_refused(text, tmp_path):
    path = tmp_path / "p.json"
    path.write_bytes(text)
    with pytest.raises(InputError):
        load_profile(path)


def test_unknown_operations_and_patterns_are_refused(shipped):
    with pytest.raises(InputError, match="did you mean 'load'"):
        bandwidth_mib_s(shipped, "loads", "random", 64, 1)
    with pytest.raises(InputError, match="did you mean 'random'"):
        extrapolated(shipped, "load", "randon", 64, 1)


def test_what_lies_outside_the_data_is_extrapolated(shipped):
    inside = extrapolated(shipped, "load", "random", [64, 256, 4096], [1, 6, 24])
    assert inside.tolist() == [False, False, False]
    outside = extrapolated(
        shipped, "load", "random", [32, 256, 256, 256], [1, 25, 1, 1], [6, 6, 3, 6], [15, 15, 15, 18]
    )
    assert outside.tolist() == [True, True, True, True]  # size, threads, DIMMs, a power never measured with six DIMMs


def test_latency_rises_from_idle_and_stays_finite(shipped):
    idle_ns, line_ns = shipped.idle_latency_ns["load", "random"], shipped.queue_line_ns["load"]
    latency = loaded_latency_ns(idle_ns, line_ns, np.array([0.0, 0.5, 0.9, 1.0, 5.0]))
    assert latency[0] == idle_ns == 305.0
    assert np.all(np.diff(latency[:4]) > 0)
    assert latency[4] == latency[3] < 2000


def test_every_published_value_says_where_it_is_from(shipped):
    result = shipped.record["published"]
    assert {entry["origin"] for entry in result.values()} == {"published", "assumed", "measured"}
    assert result["tail.stall_ns"]["origin"] == "measured"  # one of its files holds the percentiles of single writes
    assert all(entry["source"] for entry in shipped.record["published"].values())


def test_the_record_holds_what_the_profile_rests_on(shipped):
    record = shipped.record
    assert len(record["sources"][0]["sha256"]) == 64
    assert record["usable_rows"] + sum(record["dropped_rows"].values()) == record["sources"][0]["rows"]
    for operation in OPERATIONS:
        table = record["parameters"][operation]
        assert set(table) == set(shipped.parameters[operation])
        assert {entry["status"] for entry in table.values()} <= {"fitted", "fixed", "not identified"}
        low, high = table["media_mib_s"]["interval_90"]
        assert low < table["media_mib_s"]["value"] < high
    assert json.dumps(record, allow_nan=False)


def test_a_file_is_parsed_once_and_a_changed_one_again(tmp_path):
    path = load_profile().save(tmp_path / "p.json")
    first = load_profile(path)
    assert load_profile(path) is first and load_profile() is load_profile()
    path.write_text(path.read_text().replace(first.name, "other"))
    assert load_profile(path).name == "other"
