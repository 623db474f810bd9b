"""The numbers of docs/thesis.md are written from results, and from nothing else."""

import json
from pathlib import Path

import pytest

from pmtwin.scenarios.nvm_middleware.figures.report import thesis

PAGE = Path(__file__).resolve().parents[2] / "docs" / "thesis.md"


@pytest.fixture
def results(tmp_path):
    statement = {"published": "a | b", "source": "section 9", "computed": "12 %", "holds": False, "difference": "+2"}
    statement["used"] = True
    record = {"campaign": {"name": "full"}, "seed": 7, "statements": [statement]}
    (tmp_path / "run.json").write_text(json.dumps(record))
    (tmp_path / "figures").mkdir()
    for name, _ in thesis.TABLES:
        (tmp_path / "figures" / f"{name}.csv").write_text("policy,x\nnone,-1234.5678\nfixed,\n")
    return tmp_path


def test_only_what_is_between_the_marks_changes(results, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{thesis.BEGIN}\nold\n{thesis.END}\nafter\n")
    assert thesis.main([str(results), str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert "From `pmtwin run --full --seed 7`" in text
    assert "| a \\| b | section 9 | 12 % | **not so** | +2 | in-sample |" in text
    assert "| none | \u22121,235 |" in text and "| fixed |  |" in text
    thesis.main([str(results), str(page)])
    assert page.read_text() == text


@pytest.mark.parametrize("content", ["no marks", f"{thesis.BEGIN} {thesis.BEGIN} {thesis.END}"])
def test_a_page_without_the_marks_is_left_alone(results, tmp_path, content, capsys):
    page = tmp_path / "page.md"
    page.write_text(content)
    assert thesis.main([str(results), str(page)]) == 2
    assert page.read_text() == content and "a page with one" in capsys.readouterr().err


def test_a_folder_without_a_run_is_an_error(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"{thesis.BEGIN}{thesis.END}")
    assert thesis.main([str(tmp_path), str(page)]) == 2
    assert "a folder that pmtwin run has finished" in capsys.readouterr().err


def test_the_page_has_been_written_from_a_run():
    text = PAGE.read_text(encoding="utf-8")
    block = text.split(thesis.BEGIN)[1].split(thesis.END)[0]
    assert "From `pmtwin run" in block
    for _, title in thesis.TABLES:
        assert f"**{title}**" in block
