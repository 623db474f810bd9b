"""The progress of a probe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

from pmtwin.output import message

if TYPE_CHECKING:
    from pmtwin.calibrate.probing.session import Session
    from pmtwin.calibrate.probing.state import Plan, State

SHOW_EVERY_S = 10.0


@contextmanager
def bar_over(plan: Plan) -> Iterator[tuple]:
    """A bar over the seconds that the probe may take; without a terminal, a line now and then.

    Yields:
        Two functions: one to be called with the session before it runs, one to be called by it after each case.
    """
    from tqdm import tqdm

    total = round(plan.seconds) if isfinite(plan.seconds) else None
    running: list[Session] = []
    shown = [0.0]
    with tqdm(desc="probe", total=total, unit="s", file=sys.stderr, disable=None, dynamic_ncols=True) as bar:

        def show(state: State) -> None:
            elapsed = running[0].elapsed_s()
            bar.n = round(min(elapsed, plan.seconds))
            bar.set_postfix_str(_progress_text(state))
            if bar.disable and elapsed - shown[0] >= SHOW_EVERY_S:
                shown[0] = elapsed
                left = f", at most {plan.seconds - elapsed:.0f} s left" if total else ""
                message(f"{elapsed:.0f} s: {_progress_text(state)}{left}")

        yield running.append, show


def _progress_text(state: State) -> str:
    text = f"{state.cases} cases, {state.visits} visits"
    if state.error_percent:
        text += f", error {state.error_percent[0]:.2f} %"
    if state.noise_percent:
        text += f", noise {state.noise_percent[0]:.2f} %"
    return text
