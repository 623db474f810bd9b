"""Which workloads tune the options of policies, and which judge them.

Every other trace of Table 4, from the first one on, tunes. The others judge, and so do all mixes of Table 5, which no
search sees, though some of their threads are traces that tune.
"""

from __future__ import annotations

from pmtwin.scenarios.hybrid_storage.published import TABLE_4, TABLE_5

TUNED_ON = tuple(TABLE_4)[::2]
JUDGED_ON = (*tuple(TABLE_4)[1::2], *TABLE_5)
