"""Commands are tested as they are after their first use."""

import csv
import io

import pytest

from pmtwin.cli import main


@pytest.fixture(autouse=True)
def compiled_before(monkeypatch):
    """No line about compiling, whose absence or presence would hang on what ran before."""
    monkeypatch.setattr("pmtwin.cli.compiling.announce", lambda told: None)


@pytest.fixture
def predict(tmp_path, capsys):
    """Runs `pmtwin predict` on a table: (exit code, rows by column, what went to standard error)."""

    def run(text: str, *options: str):
        path = tmp_path / "points.csv"
        path.write_text(text)
        code = main(["predict", str(path), *options])
        out, err = capsys.readouterr()
        assert code == 0 or out == ""
        return code, list(csv.DictReader(io.StringIO(out))), err

    return run
