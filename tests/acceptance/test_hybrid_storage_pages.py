"""The commands of the pages of scenario `hybrid-storage` run as printed; in `make test` some are shorter."""

import pytest

from tests.acceptance.desk import Desk
from tests.acceptance.pages import TOP, blocks, files, shortened

PAGES = ("hybrid-storage.md", "hybrid-storage-gain.md", "hybrid-storage-yardsticks.md")
TEXTS = {page: (TOP / "docs" / page).read_text(encoding="utf-8") for page in PAGES}
SHORTER = [
    (r"(pmtwin figures (?!.*--dry-run).*)", r"\1 --dry-run"),
    (r" --(length|seeds|jobs) \d+", ""),
    (r"(pmtwin evaluate (?!.*--trace).*)", r"\1 --length 600 --requests-per-window 100 --seeds 1 --jobs 1"),
    (r"(pmtwin (evaluate|plan) .*--trace.*)", r"\1 --jobs 1"),
]
"""Patterns of what is printed -> shorter."""


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_runs_in_order(page, tmp_path):
    for name, text in files(TEXTS[page]).items():
        (tmp_path / name).write_text(text)
    desk = Desk(tmp_path)
    for block in blocks(TEXTS[page]):
        desk.run(shortened(block, SHORTER))
