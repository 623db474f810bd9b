"""docs/stations.md, docs/load.md, docs/analytic.md and docs/python.md: every example runs."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLE = re.compile(r"^```python file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    (name, text)
    for page in ("stations.md", "load.md", "analytic.md", "python.md")
    for name, text in EXAMPLE.findall((DOCS / page).read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example_runs_and_prints(name, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(text, name, "exec"), {})
    assert capsys.readouterr().out
