"""What commands print: JSON that any reader takes, and plain tables."""

import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pmtwin.console.output import about, counted, flatten, print_json, print_table


@dataclass
class Result:
    p99_us: float
    name: str


def test_json_takes_what_results_are_made_of(capsys):
    value = {"a": np.float32(0.5), "n": np.int64(3), "v": np.arange(2), "r": Result(1.5, "x"), "p": Path("a/b")}
    print_json(value)
    assert json.loads(capsys.readouterr().out) == {
        "a": 0.5,
        "n": 3,
        "v": [0, 1],
        "r": {"p99_us": 1.5, "name": "x"},
        "p": "a/b",
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"v": np.array([1.0, np.nan])}])
def test_json_refuses_what_json_cannot_say(value, capsys):
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json(value)
    assert capsys.readouterr().out == ""


def test_json_refuses_an_object_it_does_not_know():
    with pytest.raises(TypeError, match="object has no JSON form"):
        print_json({"a": object()})


def test_table_aligns_numbers_right_and_text_left():
    file = io.StringIO()
    print_table([("none", 1234567.8, True), ("fixed:15,15", 0.25, False)], ("policy", "ops", "met"), file)
    assert file.getvalue() == (
        "policy             ops  met\n"
        "none         1,234,568  yes\n"
        "fixed:15,15       0.25  no\n"
    )  # fmt: skip


def test_table_without_rows_shows_its_header_alone(capsys):
    print_table([], ("a", "b"))
    print_table([])
    assert capsys.readouterr().out == "a  b\n"


def test_a_table_wider_than_the_terminal_folds_its_longest_cells(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    print_table([("a", 1.5, "one two three four"), ("b", 20, "five")], ("name", "number", "what it is for"))
    assert capsys.readouterr().out.splitlines() == [
        "name  number  what it is",
        "              for",
        "a        1.5  one two",
        "              three four",
        "b         20  five",
    ]


def test_a_number_stays_on_the_line_of_its_percent_sign(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "12")
    print_table([("a long name", "91.7 %"), ("b", "of 5 % or 61.2 %")])
    shown = capsys.readouterr().out
    assert "91.7 %" in shown and "61.2 %" in shown and "5 %" in shown
    assert not any(line.strip().endswith(("91.7", "61.2", "of 5")) for line in shown.splitlines())


def test_a_table_folds_at_words_only(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "8")
    print_table([("https://example.org", 12345)])
    assert capsys.readouterr().out == "https://example.org  12345\n"


def test_flatten_names_leaves_by_their_path():
    assert flatten({"a": 1, "b": {"c": 2, "d": {"e": 3}}}) == [("a", 1), ("b.c", 2), ("b.d.e", 3)]


def test_numbers_have_the_right_noun():
    assert [counted(1, "row"), counted(2, "row"), counted(1200, "search", "searches")] == [
        "1 row",
        "2 rows",
        "1,200 searches",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "less than a second"), (40, "about 40 s"), (150, "about 2 min"), (9000, "about 2 h")]
)
def test_a_time_has_a_unit_that_suits_it(seconds, text):
    assert about(seconds) == text
