"""A worked example refuses what has no effect on it."""

import pytest

from pmtwin.cli import main

EXAMPLE = ["simulate", "two-tier", "--example", "section-v", "--engine", "analytic"]


@pytest.mark.parametrize(
    "words",
    [
        ["--windows", "5"],
        ["--warmup-windows", "3"],
        ["--load", "busy"],
        ["--requests-per-window", "100"],
        ["--response-goal-ms", "5"],
        ["--set", "windows=3"],
    ],
)
def test_options_of_windows_are_refused(words, capsys):
    assert main([*EXAMPLE, *words]) == 2
    shown = capsys.readouterr()
    named = words[0] if words[0] != "--set" else "--set windows"
    assert shown.out == "" and shown.err.strip().endswith(f"does not go with {named}; remove one of the two")


def test_each_number_of_an_example_has_a_meaning(capsys):
    assert main(EXAMPLE) == 0
    table, legend = capsys.readouterr().out.split("\n\n")
    names = [line.split()[0] for line in table.splitlines()[1:]]
    legend = " ".join(legend.split())
    assert len(names) > 10 and all(f"{name}: " in legend for name in names)


@pytest.mark.parametrize(("processes", "columns"), [("64", ["fluid", "limit", "published"]), ("7", ["fluid", "limit"])])
def test_a_formula_is_not_set_beside_nothing(processes, columns, capsys):
    words = ["--example", "table-viii", "--processes", processes, "--engine", "analytic"]
    assert main(["simulate", "two-tier", *words]) == 0
    rows = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert rows[0].split() == columns and "-" not in rows[1].split()
