"""What decisions about pages are told, by place: the columns that `pmtwin.sim.hybrid.columns` declares."""

from __future__ import annotations

WRITE, PAGES, INTERVAL, COUNT, FREE, DEVICE, SINCE_MOVE, FURTHER = range(8)
"""Of the first page of a request, or of a page that may move; from `FURTHER` on the free shares of further devices."""

EVICTIONS, PAGE = -2, -1
"""Behind them: pages that a request evicts if it goes to the first device; number of the page."""

PAGE_BYTES = 4096
