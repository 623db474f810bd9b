"""An interval wider than a factor of ten is never printed without the word, in whichever form."""

import json

import pytest

from pmtwin.calibrate.report.widths import half_width_text, interval_text
from pmtwin.cli import main
from pmtwin.sim.device import load_profile

WORD = "too wide to use"


@pytest.fixture
def ask(tmp_path, capsys):
    """Function that predicts a load from the shipped profile, its intervals of loads a number of times as wide."""

    def run(times: float, *more: str) -> tuple[str, str]:
        content = load_profile().to_json()
        content["intervals"] = json.loads(json.dumps(content["intervals"]))
        for cell in content["intervals"]["operations"]["load"]["cells"]:
            cell["half_width"] = [[[times * half for half in row] for row in table] for table in cell["half_width"]]
        profile = tmp_path / "p.json"
        profile.write_text(json.dumps(content))
        words = ["--operation", "load", "--pattern", "random", "--size", "4KiB", "--threads", "8"]
        assert main(["predict", "--profile", str(profile), *words, *more]) == 0
        return capsys.readouterr()

    return run


def test_a_prediction_has_the_word_beside_the_interval(ask):
    (line,) = [line for line in ask(100.0)[0].splitlines() if "MiB/s" in line or "GiB/s" in line]
    assert f"/s, {WORD}" in line
    assert WORD not in "".join(ask(1.0))


def test_so_has_a_row_of_json_in_its_note_and_a_table_on_standard_error(ask):
    (row,) = json.loads(ask(100.0, "--json")[0])["rows"]
    assert row["note"].startswith(f"{WORD}: interval of bandwidth")
    out, err = ask(100.0, "--csv")
    assert WORD not in out and f"{WORD}: intervals of bandwidth" in err and err.rstrip().endswith("1 row")


@pytest.mark.parametrize(
    ("errors", "text"),
    [
        ({"median_half_width": {"configurations": 4.2}}, "4.2 %"),
        ({"median_half_width": {"configurations": 40.0}, "too_wide": 3}, f"40.0 %, 3 {WORD}"),
        ({"median_half_width": {"configurations": 120.0}, "too_wide": 30}, f"120.0 %, {WORD}"),
    ],
)
def test_calibrate_says_it_of_half_widths(errors, text):
    assert half_width_text(errors) == text


def test_the_report_says_it_of_parameters():
    assert interval_text(1.0, 9.9, ".3g") == "[1, 9.9]"
    assert interval_text(1.0, 10.1, ".3g") == f"[1, 10.1], {WORD}"
