"""`pmtwin bench deep-q`: both steps on the same minibatch, and the database that was written."""

import pytest

from pmtwin.bench import Request, deep_q


@pytest.fixture
def report(tmp_path, monkeypatch):
    monkeypatch.setattr(deep_q, "NETWORKS", ((40, 8), (60, 12)))
    monkeypatch.setattr(deep_q, "TICKS", 500)
    return deep_q.measure(Request(str(tmp_path), 2, 0.001))


def test_it_times_both_steps_of_each_network_and_writes_the_database(report, tmp_path, capsys):
    assert [row["network"] for row in report["networks"]] == [[40, 8, 8, 5], [60, 12, 12, 5]]
    for row in report["networks"]:
        assert row["step"]["median"] > 0.0 and row["partial_fit"]["median"] > 0.0
        assert row["step_over_partial_fit"]["min"] <= row["step_over_partial_fit"]["median"]
    database = report["database"]
    assert (database["ticks"], database["indicators"]) == (500, 5 * 44)
    assert 500 * 5 * 44 * 4 < database["file_bytes"] < 2 * 500 * 5 * 44 * 4
    assert list(tmp_path.iterdir()) == [], "the file is removed"
    deep_q.show(report)
    assert "replay database: 500 ticks of 220 numbers" in capsys.readouterr().out
