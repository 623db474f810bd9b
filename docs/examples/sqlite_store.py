"""A real database as a live system: two parameters of SQLite under a load of short transactions.

    pmtwin tune docs/examples/sqlite_store.py:store --policy dqn --seconds 300

A table of 200,000 rows of 200 B lies in a temporary folder (`PMTWIN_STORE` names another). A tick is a twentieth of a
second of transactions, each of ten reads or of ten writes of random rows. `store` writes in half of its transactions,
`mostly_read` in a tenth.
"""

import os
import random
import sqlite3
import tempfile
import time
from pathlib import Path

from pmtwin import live

ROWS, ROW_BYTES, OPERATIONS, TICK_S = 200_000, 200, 10, 0.05
CACHE_KIB = (512, 1024, 2000, 4096, 8192, 16384, 32768, 65536)
CHECKPOINT_PAGES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)


class Store:
    """The table, its load, and what a tick of it shows.

    Args:
        share_of_writes: share of the transactions that write.
    """

    def __init__(self, share_of_writes):
        self.share, self.random = share_of_writes, random.Random(1)
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("PMTWIN_STORE"))
        self.path = Path(self.folder.name) / "store.sqlite"
        self.file = sqlite3.connect(self.path, isolation_level=None)
        self.file.execute("PRAGMA journal_mode = WAL")
        self.file.execute("PRAGMA synchronous = NORMAL")
        self.file.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB NOT NULL)")
        rows = ((key, self.random.randbytes(ROW_BYTES)) for key in range(ROWS))
        self.file.execute("BEGIN")
        self.file.executemany("INSERT INTO item VALUES (?, ?)", rows)
        self.file.execute("COMMIT")

    def control(self, values):
        """Set both parameters."""
        self.file.execute(f"PRAGMA cache_size = {-values['cache_kib']}")
        self.file.execute(f"PRAGMA wal_autocheckpoint = {values['checkpoint_pages']}")

    def collect(self):
        """Run the load for a tick."""
        reads, commits, began = [], [], time.perf_counter()
        while (now := time.perf_counter()) < began + TICK_S:
            if self.random.random() < self.share:
                self.write()
                commits.append(time.perf_counter() - now)
            else:
                self.read()
                reads.append(time.perf_counter() - now)
        if not reads or not commits:
            return None  # too short a tick to tell both
        return {
            "transactions_per_s": (len(reads) + len(commits)) / (time.perf_counter() - began),
            "read_us": 1e6 * sum(reads) / len(reads),
            "commit_us": 1e6 * sum(commits) / len(commits),
            "worst_commit_ms": 1e3 * max(commits),
            "wal_kib": Path(f"{self.path}-wal").stat().st_size / 1024,
        }

    def read(self):
        """A transaction of ten reads."""
        self.file.execute("BEGIN")
        for _ in range(OPERATIONS):
            self.file.execute("SELECT content FROM item WHERE id = ?", (self.random.randrange(ROWS),)).fetchone()
        self.file.execute("COMMIT")

    def write(self):
        """A transaction of ten writes."""
        self.file.execute("BEGIN IMMEDIATE")
        for _ in range(OPERATIONS):
            content = self.random.randbytes(ROW_BYTES)
            self.file.execute("UPDATE item SET content = ? WHERE id = ?", (content, self.random.randrange(ROWS)))
        self.file.execute("COMMIT")


def tuned(share_of_writes):
    """The store as a live system, at SQLite's defaults."""
    made = Store(share_of_writes)
    parameters = {"cache_kib": (2000, CACHE_KIB), "checkpoint_pages": (1000, CHECKPOINT_PAGES)}
    return live(made.collect, made.control, parameters, "transactions_per_s", tick_s=0, name="sqlite")


def store():
    """Half of the transactions write."""
    return tuned(0.5)


def mostly_read():
    """A tenth of the transactions write."""
    return tuned(0.1)
