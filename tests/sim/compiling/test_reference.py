"""Tuples of arrays by reference: what compiled code reads and writes through one is the arrays' content."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from pmtwin.sim.compiling import njit
from pmtwin.sim.compiling.reference import referred

RECORD = np.dtype([("share", "f8"), ("count", "i4")])


class Inner(NamedTuple):
    """A tuple within another."""

    front: np.ndarray
    behind: np.ndarray


class Outer(NamedTuple):
    """Arrays of several types."""

    numbers: np.ndarray
    inner: Inner
    records: np.ndarray


def made():
    return Outer(np.zeros(4), Inner(np.arange(3), np.arange(10, 14)), np.array([(0.5, 7)], RECORD))


@njit(inner=True, _nrt=False)
def noted(state, place):
    record, inner = state.records[0], state.inner
    record.count += 1
    state.numbers[place] = record.share * inner.behind[place] + inner.front[0]
    return state.numbers.size + state.inner.front.shape[0]


@njit(_nrt=False)
def noted_each(outer):
    state, total = referred(outer), 0
    for place in range(outer.numbers.size):
        total += noted(state, place)
    return total


@njit(_nrt=False)
def second_of(arrays):
    parts = referred(arrays[:2])
    parts[0][0] += 1.0
    return parts[1][-1]


@njit(_nrt=False)
def ends_of(arrays):
    parts = referred(arrays)
    return parts[-1][0], parts[-3][0]


@njit(_nrt=False)
def beyond(arrays):
    return referred(arrays)[-4][0]


@njit(_nrt=False)
def left_of(pair):
    return referred(pair).left[0]


@njit(_nrt=False)
def absent(arrays):
    return referred(arrays).nothing


def test_fields_are_those_of_the_tuple_and_changes_are_seen():
    outer = made()
    assert noted_each(outer) == 4 * (4 + 3)
    assert outer.numbers.tolist() == [5.0, 5.5, 6.0, 6.5]
    assert outer.records["count"].tolist() == [11]


def test_every_call_refers_to_the_tuple_that_it_is_given():
    first, second = made(), made()
    noted_each(first)
    second.records["share"] = 1.0
    noted_each(second)
    assert (first.numbers[1], second.numbers[1]) == (5.5, 11.0)


def test_places_are_constants():
    arrays = (np.zeros(2), np.array([3, 9]), np.zeros((1, 2), np.float32))
    assert second_of(arrays) == 9
    assert arrays[0].tolist() == [1.0, 0.0]


def test_a_negative_place_counts_from_the_end():
    arrays = (np.array([1]), np.array([2]), np.array([3]))
    assert ends_of(arrays) == (3, 1)
    with pytest.raises(TypingError, match="getitem"):
        beyond(arrays)


def test_classes_of_one_name_and_one_type_each_have_their_fields():
    pair, swapped = namedtuple("Pair", "left right"), namedtuple("Pair", "right left")
    first, second = np.array([1]), np.array([2])
    assert (left_of(pair(first, second)), left_of(swapped(first, second))) == (1, 2)


def test_only_tuples_are_referred_to():
    with pytest.raises(TypingError, match="to a tuple"):
        absent(np.zeros(2))


def test_an_unknown_field_is_refused_when_it_is_compiled():
    with pytest.raises(TypingError, match="nothing"):
        absent(made())
