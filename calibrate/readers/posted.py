"""Tables quoted in mails, forums and notes: with `>` before each line, or in Markdown with `|` between the cells."""

from __future__ import annotations

import csv
import io
import re

_QUOTED = re.compile(r"^\s*(?:>\s?)+", re.MULTILINE)
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")


def plain_table(text: str) -> str:
    """The text as comma-separated values, line by line; other text is returned unchanged."""
    if text.lstrip().startswith(">"):
        text = _QUOTED.sub("", text)
    if not text.lstrip().startswith("|"):
        return text
    return "\n".join("" if _RULE.fullmatch(line) else _comma_separated(line) for line in text.splitlines())


def _comma_separated(line: str) -> str:
    line = line.strip()
    if not line.startswith("|"):
        return line
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(cell.strip() for cell in line.strip("|").split("|"))
    return row.getvalue()
