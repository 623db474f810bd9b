"""The commands of the page on hybrid storage over real files, in `make test` with fewer and shorter runs."""

import pytest

from tests.acceptance.desk import Desk
from tests.acceptance.pages import TOP, commands, shortened

PAGE = (TOP / "docs/hybrid-storage-files.md").read_text(encoding="utf-8")
SHORTER = [(r"(pmtwin validate .*)", r"\1 --policies write-lru fast-only --workloads ssd-02 --length 400 --seeds 1"),
           (r"(pmtwin validate .*)", r"\1 --requests-per-window 100 --footprint-pages 1000")]  # fmt: skip
VERDICT = {0, 1}
"""On a busy machine the sides need not agree."""


@pytest.mark.parametrize("command", commands(PAGE))
def test_every_command_reads_what_was_written_and_says_what_agreed(command, tmp_path):
    shown = Desk(tmp_path).run(shortened(command, SHORTER), VERDICT).out
    assert ("verified (slowed)" if "--slow-us" in command else "validated (files)") in shown
    assert ", 0 wrong" in shown and list(tmp_path.iterdir()) == []
