"""The plot and the tables of a validation."""

import csv
import io

import pytest

from pmtwin.console.output import print_table
from pmtwin.figures.drawing.style import COLUMN_IN, styled
from pmtwin.pipeline.files import csv_bytes
from pmtwin.report.sections import NARROW
from pmtwin.scenarios.nvm_middleware.validation.plots import render
from pmtwin.scenarios.nvm_middleware.validation.tables import percentage, tables
from pmtwin.validation import MEASURED, PREDICTED, compare, grid_cases
from pmtwin.validation.verdict import verdict
from tests.pmtwin.validation.made import plan_of, tolerances, windows


def data(medium, factors=(1.1, 1.0, 0.9)):
    """Fixed pools of which p99 and throughput are measured `factors` away from what is predicted, a seed each."""
    cases = grid_cases(((4, 4), (8, 8)), 4, (1,))
    measured = [[windows(4, throughput_ops=1e5 * by, p99_us=100.0 * by) for by in factors]] * 2
    result = compare(plan_of(cases), {PREDICTED: [[windows(4)] * len(factors)] * 2, MEASURED: measured})
    return result | {"verdict": verdict(result, tolerances(medium)), "configuration": {}}


@pytest.mark.parametrize("factors", [(1.0, 1.0), (1.1, 1.0, 0.9), (300.0, 1.0, 0.01), (300.0, 0.01), (2.0,)])
def test_the_axes_are_logarithmic_around_1_and_hold_every_point(factors):
    result = data("dram", factors)
    with styled():
        (drawing,) = render({"validation": result}).drawings
        assert not any(panel.get_legend() for panel in drawing.figure.axes)
        for panel, name in zip(drawing.figure.axes, ("throughput_ops", "p99_us"), strict=True):
            low, high = panel.get_ylim()
            assert low * high == pytest.approx(1.0)
            for entry in result["comparisons"]:
                assert low < 1 / (1 + entry[name]["error_percent"]["mean"] / 100) < high
            left, right = panel.get_xlim()
            assert right / left > 1.1


def test_the_panels_stand_below_one_another_so_that_a_telephone_shows_both():
    with styled():
        (drawing,) = render({"validation": data("dram")}).drawings
        drawing.figure.draw_without_rendering()
        upper, lower = (panel.get_position() for panel in drawing.figure.axes)
    assert upper.y0 > lower.y1 and upper.x0 == pytest.approx(lower.x0)
    assert drawing.name in NARROW and drawing.figure.get_figwidth() <= COLUMN_IN


def test_the_caption_speaks_of_a_band_only_where_there_is_one():
    with styled():
        captions = [render({"validation": data(medium)}).drawings[0].caption for medium in ("emulated", "dram")]
    assert ["band" in caption for caption in captions] == [True, False]


def test_every_column_of_the_csv_has_its_own_name_and_numbers_are_numbers():
    result = data("dram")
    for table in tables(result):
        names, *rows = csv.reader(io.StringIO(csv_bytes(table).decode()))
        assert len(set(names)) == len(names)
        assert all(len(row) == len(names) for row in rows)
    row = dict(zip(names, rows[0], strict=True))
    assert float(row["p99_us_error_percent_low"]) < float(row["p99_us_error_percent"])
    assert float(row["throughput_ops_measured_low"]) > 0


def test_a_reader_sees_the_interval_of_an_error():
    shown = tables(data("dram"))[-1].rows[0]
    assert sum("[" in str(cell) for cell in shown) == 2


def test_percentages_have_no_powers_of_ten_and_no_negative_zero():
    shown = [percentage(value) for value in (0.0, 2.5e-5, -1.07e-7, -0.0301, 5.04, 66.293)]
    assert shown == ["0.00", "0.00", "0.00", "\u22120.03", "5.04", "66.3"]


def test_every_comparison_fits_a_terminal_of_100_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    result = data("dram", (3.123, 2.789, 2.456))
    entry = result["comparisons"][0] | {
        "policy": "predictive:margin=0.123",
        "workload": "section-4.2",
        "changing": True,
    }
    table = tables(result | {"comparisons": [entry]})[-1]
    print_table(table.rows, table.header)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100
