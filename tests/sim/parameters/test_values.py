"""The registry of parameters: each knows where it comes from, and no value outside its range gets through."""

import math
import re

import pytest

from pmtwin.sim import InputError
from pmtwin.sim.parameters.values import PARAMETERS, resolve

EACH = pytest.mark.parametrize("parameter", PARAMETERS.values(), ids=PARAMETERS)


@EACH
def test_says_what_it_means_and_where_it_comes_from(parameter):
    assert parameter.origin in ("measured", "published", "inferred", "assumed")
    assert parameter.source.strip()
    assert parameter.meaning[0].isupper() or parameter.meaning[0].isdigit()
    assert parameter.meaning.endswith(".")


@EACH
def test_default_lies_inside_a_range_that_is_one(parameter):
    assert parameter.low < parameter.high
    assert parameter.low <= parameter.default <= parameter.high
    if parameter.whole:
        assert all(value == int(value) for value in (parameter.default, parameter.low, parameter.high))


@EACH
def test_a_time_in_ns_says_so_in_its_name(parameter):
    assert (parameter.unit == "ns") == parameter.name.endswith("_ns")
    assert re.fullmatch(r"[a-z][a-z0-9_]+", parameter.name)


def test_defaults_resolve_to_themselves():
    assert resolve() == {name: parameter.default for name, parameter in PARAMETERS.items()}


@EACH
def test_both_ends_of_the_range_are_accepted(parameter):
    for value in (parameter.low, parameter.high):
        assert resolve({parameter.name: value})[parameter.name] == value


@EACH
def test_values_outside_are_refused_by_name(parameter):
    low, high = parameter.limits
    assert low <= parameter.low <= parameter.high <= high
    for value in (low - (high - low), high + (high - low), math.nan, math.inf):
        with pytest.raises(InputError, match=f"^{parameter.name}: "):
            resolve({parameter.name: value})


def test_an_unknown_name_gets_the_nearest_known_one():
    with pytest.raises(InputError, match="did you mean 'handoff_ns'"):
        resolve({"handof_ns": 1.0})


def test_half_a_core_is_refused():
    with pytest.raises(InputError, match=r"cores.*2\.5"):
        resolve({"cores": 2.5})


def test_a_store_with_a_part_of_a_record_is_refused():
    for value in (1e-9, 0.5):
        with pytest.raises(InputError, match=rf"^records: {value} .* allowed: 0, or 1 to 1,000,000,000,000 records$"):
            resolve({"records": value})
    assert [resolve({"records": value})["records"] for value in (0, 1, 1.5)] == [0, 1, 1.5]


def test_a_refused_override_leaves_the_defaults_alone():
    with pytest.raises(InputError):
        resolve({"cores": 12, "dimms": 17})
    assert resolve()["cores"] == PARAMETERS["cores"].default
