"""Progress display of a probe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

from pmtwin.console.progress import progress

if TYPE_CHECKING:
    from pmtwin.calibrate.probing.session import Session
    from pmtwin.calibrate.probing.state import Plan, State


@contextmanager
def bar_over(plan: Plan) -> Iterator[tuple]:
    """Context manager of a progress bar, or of progress lines, over the seconds that the probe may take.

    Yields:
        (function to call with the session before it runs, function that the session calls after each case).
    """
    total = round(plan.seconds) if isfinite(plan.seconds) else None
    running: list[Session] = []
    with progress(desc="probe", total=total, unit="second") as bar:

        def show(state: State) -> None:
            bar.set_postfix_str(_progress_text(state))
            bar.update(round(min(running[0].elapsed_s(), plan.seconds)) - bar.n)

        yield running.append, show


def _progress_text(state: State) -> str:
    text = f"{state.cases} cases, {state.visits} visits"
    if state.error_percent:
        text += f", error {state.error_percent[0]:.2f} %"
    if state.noise_percent:
        text += f", noise {state.noise_percent[0]:.2f} %"
    return text
