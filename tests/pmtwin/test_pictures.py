"""The pictures of README and the docs are there, small, shown, and show what the code and the pages show now."""

import csv
import importlib.machinery
import importlib.util
import json
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
FOLDER = TOP / "docs" / "pictures"


def script():
    loader = importlib.machinery.SourceFileLoader("make_pictures", str(TOP / "scripts" / "make-pictures"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_pictures", loader))
    loader.exec_module(module)
    return module


RECORD = json.loads((FOLDER / "made-from.json").read_text())


def test_no_picture_is_older_than_what_draws_it():
    """If this fails: pmtwin figures SCENARIO && scripts/make-pictures results NAME, and look at the picture."""
    assert RECORD["drawn_by"] == script().drawn_by()


@pytest.mark.parametrize("picture", RECORD["drawn_by"])
def test_a_picture_is_small_and_a_page_shows_it(picture):
    assert 3_000 < (FOLDER / picture).stat().st_size < 200_000
    pages = [TOP / "README.md", *(TOP / "docs").glob("*.md")]
    assert any(re.search(rf"!\[[^\]]+\]\((docs/)?pictures/{re.escape(picture)}\)", page.read_text()) for page in pages)


def test_the_readme_states_what_the_pictures_show():
    """The table of README beside the picture of the same run."""
    rows = csv.DictReader(RECORD["shown"]["yardsticks.csv"])
    drawn = {(row["contexts"], row["policy"]): float(row["attainment (%)"]) for row in rows}
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| (.+?) \| ([\d.]+) %.*? \| ([\d.]+) %", readme, flags=re.MULTILINE)
    policies = ("clairvoyant", "recommended", "no foresight", "best constant", "Q-learning", "threshold", "fixed 15,15")
    assert len(stated) == len(policies)
    for (_, phases, contended), policy in zip(stated, policies, strict=True):
        assert (float(phases), float(contended)) == (drawn["phases", policy], drawn["contended", policy])


def test_named_pictures_alone_are_made(tmp_path, monkeypatch, capsys):
    module, pictures, figures = script(), tmp_path / "pictures", tmp_path / "results" / "figures"
    figures.mkdir(parents=True)
    monkeypatch.setattr(module, "FOLDER", pictures)
    monkeypatch.setattr(module, "RECORD", tmp_path / "made-from.json")
    module.RECORD.write_text(json.dumps(RECORD | {"drawn_by": RECORD["drawn_by"] | {"numa-ucb.png": "stale"}}))
    assert module.main([str(figures.parent), "numa-ucb"]) == 3  # not drawn yet
    (figures / "numa-ucb.png").write_bytes((FOLDER / "numa-ucb.png").read_bytes())
    assert module.main([str(figures.parent), "numa-ucb"]) == 0
    assert [path.name for path in pictures.iterdir()] == ["numa-ucb.png"]
    assert json.loads(module.RECORD.read_text())["drawn_by"] == RECORD["drawn_by"]
    assert module.main([str(figures.parent), "numa-none"]) == 2
    assert "numa-none is no picture" in capsys.readouterr().err
