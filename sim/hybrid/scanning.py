"""Which page a migration policy is asked about, compiled: the devices take turns."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import uniform
from pmtwin.sim.hybrid.features import show_page
from pmtwin.sim.hybrid.options import OLDEST, RECENT, SCANS
from pmtwin.sim.hybrid.pages import free_pages, oldest_page

FROM_OLDEST, FROM_RECENT = SCANS.index(OLDEST), SCANS.index(RECENT)
MOST_SKIPPED = 16
"""Pages of the last requests that a scan passes over at most before it gives up its turn."""


@njit(cache=True, _nrt=False, inner=True)
def scanned_page(state):
    """The next page of the scan, with its features in the last row; -1: none this time.

    Pages that the last request used are passed over: their access interval is 1 or less.
    """
    tally, pages = state.tally[0], state.device_of.size
    number = tally.cursor % state.device.size
    tally.cursor += 1
    for place in range(state.device.size):
        state.oldest[place], state.free[place] = oldest_page(state, place), free_pages(state, place)
    if state.setting[0].scan_order == FROM_OLDEST or state.setting[0].scan_order == FROM_RECENT:
        page = _walk(state, number, state.setting[0].scan_order == FROM_RECENT)
    else:
        page = min(int(uniform(state.draws) * pages), pages - 1)
        if not state.page[page].listed or tally.begun - state.page[page].accessed <= 1:
            page = -1
    row = state.features.shape[0] - 1
    if page < 0:
        state.features[row, :] = 0.0
    else:
        show_page(state, row, page)
    return page


@njit(cache=True, _nrt=False, inner=True)
def _walk(state, number, backwards):
    """The next page of a device's ring, from the oldest on, or after each request from the newest back."""
    device, pages, begun = state.device[number], state.device_of.size, state.tally[0].begun
    end = pages + number
    if backwards and device.scanned != begun:
        device.cursor, device.scanned = end, begun
    place = device.cursor
    if place >= pages:
        place = state.page[end].prev if backwards else state.page[end].next
    for _ in range(MOST_SKIPPED):
        if place >= pages or begun - state.page[place].accessed > 1:
            break
        place = state.page[place].prev if backwards else state.page[place].next
    if place >= pages:
        device.cursor = end
        return -1
    device.cursor = state.page[place].prev if backwards else state.page[place].next
    return place
