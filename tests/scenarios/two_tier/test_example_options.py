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
