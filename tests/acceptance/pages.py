"""The commands that a page prints in its blocks of `bash`, in their order and as they are written, or shorter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
README = TOP / "README.md"

FULL = os.environ.get("PMTWIN_ACCEPTANCE") == "full"
"""Commands run as printed (`make test-acceptance`); some are shorter else."""

_BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shortened(command: str, shorter: Iterable[tuple[str, str]]) -> str:
    """A command with shorter parts in the place of printed ones, (pattern, in its place); as printed if `FULL`."""
    for printed, instead in () if FULL else shorter:
        command = re.sub(printed, instead, command)
    return command


def blocks(text: str) -> list[str]:
    """The blocks of `bash`, each as a whole: loops have several lines."""
    return _BLOCK.findall(text)


def files(text: str) -> dict[str, str]:
    """Name -> text of the blocks that are files (`python file=NAME`)."""
    return dict(re.findall(r"^```python file=(\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def commands(text: str) -> list[str]:
    """Lines of the blocks without comments; a line that ends in a backslash goes on in the next."""
    lines = "\n".join(_BLOCK.findall(text)).replace("\\\n", " ").splitlines()
    bare = (re.sub(r"\s+#.*", "", line).strip() for line in lines)
    return [line for line in bare if line and not line.startswith("#")]


def jobs() -> dict[int, list[str]]:
    """The commands of README's three jobs."""
    parts = re.split(r"^\*\*(\d)\. ", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = {int(number): text.partition("\n## ")[0] for number, text in zip(parts[1::2], parts[2::2], strict=True)}
    return {number: commands(text) for number, text in texts.items()}


def first_steps(page: str) -> list[str]:
    """The commands of a page's first block."""
    text = (TOP / "docs" / page).read_text(encoding="utf-8")
    block = _BLOCK.search(text)
    assert block, f"{page} has no block of commands"
    return commands(block[0])
