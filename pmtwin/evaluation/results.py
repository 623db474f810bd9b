"""The result of a command, for a terminal, a notebook or pandas."""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

from pmtwin.console.output import print_json
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import MissingDependencyError


class Result(dict):
    """The result of a command: a mapping with the keys of its `--json`.

    Args:
        value: content of the mapping.
        show: function that prints the result for a reader.
        rows: the main table: for each row, column -> value.
    """

    def __init__(self, value: dict, show: Callable[[], None], rows: Callable[[], list[dict[str, Any]]]):
        super().__init__(value)
        self.show, self._rows = show, rows

    def __reduce__(self):
        return dict, (dict(self),)  # elsewhere, as in another process, it is the mapping alone

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self)}>"  # the whole content is pages long

    def print(self, as_json: bool = False) -> None:
        """Print the result as the command does, as text or JSON."""
        with results():
            print_json(dict(self)) if as_json else self.show()

    def to_pandas(self):
        """The main table as a `pandas.DataFrame`.

        Raises:
            MissingDependencyError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise MissingDependencyError("pandas is not installed: pip install pandas") from error
        return pandas.DataFrame(self._rows())

    def _repr_html_(self) -> str:
        """The output of `print` as HTML, for a notebook."""
        page = _Page()
        with redirect_stdout(page):
            self.show()
        return page.html()


class _Page(io.StringIO):
    """A text stream that collects printed text and tables as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: list[str] = []

    def write_table(self, cells: Sequence[Sequence[str]], has_header: bool, numeric: Sequence[bool]) -> None:
        """Add a table as HTML; `pmtwin.console.output.print_table` calls it."""
        self._end_text()
        rows = []
        for number, line in enumerate(cells):
            tag = "th" if has_header and number == 0 else "td"
            aligned = zip(line, numeric, strict=True)
            rows.append(
                "".join(
                    f'<{tag} style="text-align:{"right" if right else "left"}">{html.escape(cell)}</{tag}>'
                    for cell, right in aligned
                )
            )
        self._blocks.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")

    def html(self) -> str:
        """All output so far, as HTML."""
        self._end_text()
        return "\n".join(self._blocks)

    def _end_text(self) -> None:
        text = self.getvalue().strip("\n")
        if text:
            self._blocks.append(f"<pre>{html.escape(text)}</pre>")
        self.seek(0)
        self.truncate()
