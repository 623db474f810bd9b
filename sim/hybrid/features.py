"""What a policy sees of a write, or of a page that may move: Harmonia's Table 1 without its bins."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.columns import NEVER
from pmtwin.sim.hybrid.pages import free_pages
from pmtwin.sim.hybrid.records import NOBODY


@njit(cache=True, _nrt=False, inner=True)
def show_page(state, row, page):
    """Fill in the features of a page that may move: write and pages are those of its last request."""
    record = state.page[page]
    _show(state, row, page, record.write, record.pages)


@njit(cache=True, _nrt=False, inner=True)
def show_request(state, row, request):
    """Fill in the features of a request to be placed by its first page, and the actions that are possible."""
    _show(state, row, request.first, request.write, request.pages)
    needed = _coming(state, request, 0) - free_pages(state, 0)
    state.features[row, state.features.shape[1] - 2] = max(needed, 0)
    for number in range(state.device.size):
        device = state.device[number]
        state.mask[number] = request.pages <= device.capacity - device.reserved
        if state.setting[0].refuses and state.mask[number]:
            state.mask[number] = _coming(state, request, number) <= free_pages(state, number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _coming(state, request, target):
    """Pages of a request that would come to a device: those elsewhere, of a read those on slower devices."""
    coming = 0
    for page in range(request.first, request.first + request.pages):
        coming += state.device_of[page] > target or (request.write != 0 and state.device_of[page] != target)
    return coming


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _show(state, row, page, write, pages):
    features, record, begun = state.features[row], state.page[page], state.tally[0].begun
    features[0], features[1], features[3], features[5] = write, pages, record.count, state.device_of[page]
    features[2] = begun - record.accessed if record.count else NEVER
    features[6] = begun - record.moved if record.left != NOBODY else NEVER
    features[4] = free_pages(state, 0) / state.device[0].capacity
    for number in range(1, state.device.size - 1):
        features[6 + number] = free_pages(state, number) / state.device[number].capacity
    features[features.size - 2], features[features.size - 1] = 0.0, page
