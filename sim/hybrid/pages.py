"""Pages on devices, compiled: addresses, room, and the ring of used pages of each device, the oldest first."""

from __future__ import annotations

from pmtwin.policies.replacement.lines import append, unlink
from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.options import APPEND, LAYOUTS

IN_LOG = LAYOUTS.index(APPEND)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def leave_ring(state, page):
    """Take a page out of the ring of its device; a scan that is there goes on with the next page."""
    device = state.device[state.device_of[page]]
    if device.cursor == page:
        device.cursor = state.page[page].next
    unlink(state.page, page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def join_ring(state, page):
    """Make a page the newest of its device."""
    state.page[page].listed = 1
    append(state.page, state.device_of.size + state.device_of[page], page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def touch(state, page):
    """A page is used where it is."""
    if state.page[page].listed:
        leave_ring(state, page)
    join_ring(state, page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def note_use(state, page, request):
    """Note that the present request uses a page."""
    record = state.page[page]
    record.accessed = state.tally[0].begun
    record.count += 1
    record.pages = request.pages
    record.write = request.write


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def new_address(state, page, device):
    """Address at which a device writes a page: behind its last one, or the page's home."""
    if state.setting[0].layout != IN_LOG:
        return state.page[page].home
    address = state.device[device].log
    state.device[device].log = address + 1
    return address


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def settle(state, page, device, address):
    """A page that is in no ring is now on this device, as its newest."""
    record, origin = state.page[page], state.device_of[page]
    record.address = address
    record.version += 1
    if origin != device:
        record.left = origin
        record.moved = state.tally[0].begun
        state.device_of[page] = device
    join_ring(state, page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def oldest_page(state, device):
    """The least recently used page of a device; -1 if no page there was ever used."""
    page = state.page[state.device_of.size + device].next
    return page if page < state.device_of.size else -1


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def free_pages(state, device):
    """Pages that a device has room for."""
    return state.device[device].capacity - state.device[device].used
