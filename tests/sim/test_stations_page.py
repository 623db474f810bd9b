"""docs/stations.md: every example runs."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "stations.md"
EXAMPLES = re.findall(r"^```python file=(\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example_runs_and_prints(name, text, capsys):
    exec(compile(text, name, "exec"), {})
    assert capsys.readouterr().out
