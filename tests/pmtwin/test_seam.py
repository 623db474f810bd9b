"""Generic code works on what a scenario declares: it names none, and nothing that one measures or controls."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
WORDS = re.compile(
    r"\b(pools|p99\w*|throughput\w*|interactive\w*|batch_(?!(?:space|size)\b)\w*|phases?)\b", re.IGNORECASE
)
"""What the thread pools control, measure and run under; `pool` alone is also a file of pmemkv, `batch_space` a
function of Gymnasium, `batch_size` an argument of scikit-learn."""

PUBLIC = TOP / "pmtwin" / "__init__.py"
"""Lists public names, those of scenarios too."""

SCENARIOS = {path.parent for path in (TOP / "scenarios").glob("*/scenario.py")}


def generic_files() -> list[Path]:
    """All of the command line and pipeline but benchmarks; interfaces and training of policies; figures' own
    files; scenarios outside the folders of declared ones."""
    pmtwin = [path for path in (TOP / "pmtwin").rglob("*.py") if path.parts[len(TOP.parts) + 1] not in ("bench",)]
    pmtwin = [path for path in pmtwin if not any(parent.is_symlink() for parent in path.parents)]
    policies = [
        TOP / "policies" / name for name in ("base.py", "grammar.py", "making.py", "registry.py", "settings_text.py")
    ]
    scenarios = [path for path in (TOP / "scenarios").rglob("*.py") if not SCENARIOS & set(path.parents)]
    training = (TOP / "policies" / "training").glob("*.py")
    return [*(set(pmtwin) - {PUBLIC}), *policies, *training, *(TOP / "figures").glob("*.py"), *scenarios]


def test_no_generic_file_names_what_one_scenario_measures_or_controls():
    files = generic_files()
    assert len(files) > 100 and SCENARIOS
    named = {str(path.relative_to(TOP)): sorted(set(WORDS.findall(path.read_text("utf-8")))) for path in files}
    assert {path: words for path, words in named.items() if words} == {}


def test_no_generic_file_imports_a_scenario_by_name():
    names = "|".join(folder.name for folder in SCENARIOS)
    imports = re.compile(rf"pmtwin\.scenarios\.({names})\b")
    files = generic_files()
    named = {str(path.relative_to(TOP)): imports.findall(path.read_text("utf-8")) for path in files}
    assert {path: found for path, found in named.items() if found} == {}


@pytest.mark.parametrize("line", ["p99_us = 1", "for pools in grid:", "THROUGHPUT = 3", "batch_ops", "a phase"])
def test_such_a_name_is_found(line):
    assert WORDS.search(line)
