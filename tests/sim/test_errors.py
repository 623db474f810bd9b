"""Errors name field, value and what is allowed, in one line, with the exit code of their kind."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from pmtwin.sim.errors import (
    AnswerError,
    CheckFailedError,
    ConflictError,
    InputError,
    MissingDependencyError,
    PmtwinError,
    check_range,
    input_error_of,
    unknown_name,
)


def test_message_names_field_value_and_what_is_allowed():
    error = InputError("pools", 33, "1 to 32")
    assert str(error) == "pools: 33 is not accepted; allowed: 1 to 32"


def test_an_answer_that_is_not_possible_names_the_policy_where_it_is_known():
    error = AnswerError("thread", "node", 2, "0 to 1")
    assert str(error) == "node at point thread: 2 is not accepted; allowed: 0 to 1"
    known = pickle.loads(pickle.dumps(error.by("mine.py:Mine")))
    assert str(known) == f"policy mine.py:Mine: {error}" and known.point == "thread"
    assert str(known.renamed("policy x")) == "policy x: 2 is not accepted; allowed: 0 to 1"


def test_message_begins_with_the_file():
    error = InputError("threads", -1, "1 to 512", where="points.csv, line 3")
    assert str(error) == "points.csv, line 3: threads: -1 is not accepted; allowed: 1 to 512"


def test_kinds_have_the_exit_codes_of_the_command_line():
    kinds = (CheckFailedError, InputError, MissingDependencyError)
    assert [kind.exit_code for kind in kinds] == [1, 2, 3]
    assert all(issubclass(kind, PmtwinError) for kind in kinds)
    assert issubclass(InputError, ValueError)


def test_unknown_name_lists_the_known_and_suggests_the_nearest():
    error = unknown_name("engine", "simpi", ["simpy", "compiled"])
    assert str(error) == "engine: 'simpi' is not accepted; allowed: compiled, simpy (did you mean 'simpy'?)"
    assert "did you mean" not in str(unknown_name("engine", "zzz", ["simpy", "compiled"]))


@pytest.mark.parametrize("value", [1, 1.0, 32, 7.5])
def test_values_inside_pass(value):
    check_range("size", value, 1, 32)


@pytest.mark.parametrize("value", [0.999, 32.001, math.nan, math.inf, -math.inf])
def test_values_outside_and_nan_do_not(value):
    with pytest.raises(InputError, match=r"^size: .* allowed: 1 to 32 bytes$"):
        check_range("size", value, 1, 32, "bytes")


@pytest.mark.parametrize(
    ("high", "text"),
    [
        (2**63 - 1, "0 to 9,223,372,036,854,775,807"),
        (1e9, "0 to 1,000,000,000"),
        (1024, "0 to 1024"),
        (0.5, "0 to 0.5"),
        (math.inf, "at least 0"),
    ],
)
def test_large_whole_bounds_are_read_in_full(high, text):
    with pytest.raises(InputError, match=f"allowed: {text}$"):
        check_range("size", -1, 0, high)


def test_input_error_survives_the_way_back_from_a_worker_process():
    error = pickle.loads(pickle.dumps(InputError("rate", 0, "more", where="x.csv")))
    assert (str(error), error.field, error.where) == ("x.csv: rate: 0 is not accepted; allowed: more", "rate", "x.csv")


def test_an_error_of_another_language_is_the_same_error():
    result = input_error_of("queue: 'nope' is not accepted; allowed: handoff, mutex")
    assert str(result) == "queue: 'nope' is not accepted; allowed: handoff, mutex"
    assert input_error_of("out of memory") is None
    for text in ("--path: 'a' has too little room: 3 MiB free; allowed: more", "--path is missing: a directory"):
        assert str(input_error_of(text)) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [((8,), "[8]"), ([True, "x"], "[true, 'x']"), ({"a": 1}, "a table"), (np.float64(0.5), "0.5"), (Path("p"), "'p'")],
)
def test_a_value_is_shown_as_a_user_writes_it(value, shown):
    assert str(InputError("field", value, "others")) == f"field: {shown} is not accepted; allowed: others"


def test_a_long_value_is_cut():
    assert str(InputError("rows", [0] * 1000, "fewer")).startswith("rows: [0, 0, ")
    assert len(str(InputError("rows", [0] * 1000, "fewer"))) < 250


def test_an_option_without_use_is_a_sentence_under_every_name_and_in_another_process():
    error = ConflictError("rounds", 2, "belongs to --policy afterstate; remove one of the two")
    assert str(error) == "rounds 2 belongs to --policy afterstate; remove one of the two"
    renamed = pickle.loads(pickle.dumps(error.renamed("--rounds", "plan.toml", 3)))
    assert str(renamed) == "plan.toml: --rounds 3 belongs to --policy afterstate; remove one of the two"
    assert (renamed.value, renamed.exit_code) == (3, 2) and isinstance(renamed, InputError)


def test_a_value_that_was_not_given_is_called_missing():
    assert str(InputError("goal", None, "a number")) == "goal is missing: a number"


def test_what_is_wrong_is_said_and_survives_a_new_name_and_another_process():
    error = InputError("policies", "none", "each policy once", wrong="is given twice")
    renamed = error.renamed("--policies", "plan.toml")
    for same in (renamed, pickle.loads(pickle.dumps(renamed))):
        assert str(same) == "plan.toml: --policies: 'none' is given twice; allowed: each policy once"
