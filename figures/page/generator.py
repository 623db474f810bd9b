"""The mark of a page: by it a later report of the same command knows the page as an earlier one."""

from __future__ import annotations

PAGE = "index.html"
"""The page of a report, in its folder."""


def generator(command: str) -> str:
    """What the pages of a command's reports name as their generator."""
    return f"pmtwin {command}"
