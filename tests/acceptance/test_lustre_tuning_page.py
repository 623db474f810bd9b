"""The commands of the page of scenario `lustre-tuning` run as printed; in `make test` they are shorter."""

from tests.acceptance.desk import Desk
from tests.acceptance.pages import TOP, blocks, files, shortened

PAGE = (TOP / "docs/lustre-tuning.md").read_text(encoding="utf-8")
SHORTER = [
    (r"(pmtwin figures (?!.*--dry-run).*)", r"\1 --dry-run"),
    (r" --(seeds|steps|jobs) \d+", ""),
    (r"(pmtwin evaluate .*)", r"\1 --steps 2 --seeds 1 --fill-s 1 --jobs 1"),
    (r"(pmtwin simulate .*?)( --windows \d+)?$", r"\1 --windows 2 --fill-s 1"),
]
"""Patterns of what is printed -> shorter."""


def test_every_command_of_the_page_runs_in_order(tmp_path):
    for name, text in files(PAGE).items():
        (tmp_path / name).write_text(text)
    desk = Desk(tmp_path)
    for block in blocks(PAGE):
        desk.run(shortened(block, SHORTER))
