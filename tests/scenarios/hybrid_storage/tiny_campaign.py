"""A campaign of figures with few short runs: `python -m tests.scenarios.hybrid_storage.tiny_campaign FOLDER [ROWS]`."""

import signal
import sys
from dataclasses import replace
from pathlib import Path

from pmtwin.figures.experiments import parallel
from pmtwin.pipeline.runner import Done, Runner
from pmtwin.pipeline.step import Setting, Step, Work
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.hybrid_storage import HybridStorage
from pmtwin.scenarios.hybrid_storage.figures.campaign import HybridCampaign
from pmtwin.scenarios.hybrid_storage.figures.experiments import runs
from pmtwin.scenarios.hybrid_storage.figures.policies import ORACLE

CASES = [runs.Case("perf", name, ("write-lru", ORACLE)) for name in ("LUN0", "ssd-02")]
CAMPAIGN = HybridCampaign("tiny", seeds=2, length=600, grid_length=200)
ROWS = len(CASES) * CAMPAIGN.seeds


class Gate:
    """Progress that stops for ever after so many rows.

    Args:
        rows: the last one that is computed; 0: all are. initial: rows of an earlier run.
    """

    def __init__(self, rows: int, total: int, desc: str, initial: int):
        self._left = rows - initial if rows else -1
        print(f"{initial} of {total} {desc} were there", flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def update(self, count: int) -> None:
        """Count, and wait for a signal that ends the process."""
        self._left -= count
        while self._left == 0:
            signal.pause()


def run(folder: Path, rows: int = 0) -> Done:
    """Compute what the folder lacks, all of it or up to a row, at which the process waits to be killed."""

    def compute(work: Work) -> dict:
        gated = replace(work, progress=lambda **named: Gate(rows, **named))
        return runs.of_campaign(gated, lambda: CASES)

    module = parallel.__name__  # imports little, all of which would be read for the key of the step
    step = Step("tiny", "a tiny campaign", (), ("seeds", "length"), module, lambda _: 1, 0.0, True, compute)
    setting = Setting(HybridStorage(), CAMPAIGN, seed=0, jobs=1, data=None)
    return Runner(setting, Store(folder)).run([step])["tiny"]


if __name__ == "__main__":
    run(Path(sys.argv[1]), *map(int, sys.argv[2:]))
