"""The accesses of a request, compiled: which parts of which devices it reads and writes, in order.

Adjacent pages of a device are one access. Directories change when the accesses are planned: whoever comes later finds
the pages at their new places.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.pages import IN_LOG, free_pages, leave_ring, new_address, note_use, oldest_page, settle, touch
from pmtwin.sim.hybrid.stream import PAGE_BYTES


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def add_access(state, slot, device, write, start, size):
    """Append an access to those of a participant."""
    party = state.party[slot]
    access = state.access[slot, party.accesses]
    party.accesses += 1
    access.device, access.write, access.start, access.size = device, write, start, size


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _extend(state, slot, device, write, start, size):
    """Append an access, or make the last one longer if this one follows it on the device."""
    party = state.party[slot]
    if party.accesses > 0:
        last = state.access[slot, party.accesses - 1]
        if last.device == device and last.write == write and last.start + last.size == start:
            last.size += size
            return
    add_access(state, slot, device, write, start, size)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def plan_read(state, slot, request):
    """Read each page where it is."""
    party = state.party[slot]
    party.accesses = party.evicts = party.evicted = 0
    last = request.first + request.pages - 1
    for page in range(request.first, last + 1):
        head = request.head if page == request.first else 0
        size = PAGE_BYTES - head - (request.tail if page == last else 0)
        _extend(state, slot, state.device_of[page], 0, state.page[page].address * PAGE_BYTES + head, size)
        touch(state, page)
        note_use(state, page, request)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def plan_write(state, slot, request, target):
    """Read what is missing of pages that go elsewhere, make room on the target, and write all pages to it."""
    party, last = state.party[slot], request.first + request.pages - 1
    party.accesses = 0
    head, tail = _read_rest(state, slot, request, target)
    party.evicts = party.accesses
    for page in range(request.first, last + 1):
        if state.page[page].listed:
            leave_ring(state, page)
        state.device[state.device_of[page]].used -= 1
    _make_room(state, slot, target, request.pages)
    party.evicted = party.accesses if party.accesses > party.evicts else 0
    state.device[target].used += request.pages
    for page in range(request.first, last + 1):
        settle(state, page, target, new_address(state, page, target))
        note_use(state, page, request)
    start = state.page[request.first].address * PAGE_BYTES + head
    add_access(state, slot, target, 1, start, request.pages * PAGE_BYTES - head - tail)
    state.tally[0].asked_bytes += request.pages * PAGE_BYTES - request.head - request.tail


@njit(cache=True, _nrt=False, inner=True)
def plan_promotion(state, slot, request, target):
    """Read each page where it is, and write those on slower devices to the target, which makes room first."""
    party, last = state.party[slot], request.first + request.pages - 1
    party.accesses, coming = 0, 0
    for page in range(request.first, last + 1):
        device, record = state.device_of[page], state.page[page]
        promotes = device > target
        head = 0 if promotes or page > request.first else request.head
        tail = 0 if promotes or page < last else request.tail
        _extend(state, slot, device, 0, record.address * PAGE_BYTES + head, PAGE_BYTES - head - tail)
        if promotes:
            coming += 1
            state.device[device].used -= 1
            if record.listed:
                leave_ring(state, page)
        else:
            touch(state, page)
        note_use(state, page, request)
    party.evicts = first = party.accesses
    _make_room(state, slot, target, coming)
    state.device[target].used += coming
    state.tally[0].promoted += coming
    begin = party.accesses
    for page in range(request.first, last + 1):
        if state.device_of[page] > target:
            settle(state, page, target, new_address(state, page, target))
            extend_from(state, slot, begin, target, 1, state.page[page].address * PAGE_BYTES)
    party.evicted = party.accesses if party.accesses > first else 0


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _read_rest(state, slot, request, target):
    """Read the rest of pages that are written in part and change their address; (head, tail) that stay unwritten."""
    head, tail, first, last = request.head, request.tail, request.first, request.first + request.pages - 1
    moves_head = head > 0 and _changes_address(state, first, target)
    moves_tail = tail > 0 and _changes_address(state, last, target)
    if moves_head and moves_tail and first == last:
        add_access(state, slot, state.device_of[first], 0, state.page[first].address * PAGE_BYTES, PAGE_BYTES)
        return 0, 0
    if moves_head:
        add_access(state, slot, state.device_of[first], 0, state.page[first].address * PAGE_BYTES, head)
        head = 0
    if moves_tail:
        start = (state.page[last].address + 1) * PAGE_BYTES - tail
        add_access(state, slot, state.device_of[last], 0, start, tail)
        tail = 0
    return head, tail


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _changes_address(state, page, target):
    return state.setting[0].layout == IN_LOG or state.device_of[page] != target


@njit(cache=True, _nrt=False, inner=True)
def _make_room(state, slot, target, pages):
    """Evict the least recently used pages of a full device to the next one, which makes room first."""
    last, wanted = target, pages
    while last < state.setting[0].devices - 1 and wanted > free_pages(state, last):
        wanted = wanted - free_pages(state, last)
        last += 1
    # `last` has room for what comes down to it; each device above evicts, the lowest one first
    while last > target:
        last -= 1
        coming = pages
        for above in range(target, last):
            coming = coming - free_pages(state, above)
        _evict(state, slot, last, coming - free_pages(state, last))


@njit(cache=True, _nrt=False, inner=True)
def _evict(state, slot, device, pages):
    """Read the least recently used pages of a device, and write them to the next one."""
    party, records = state.party[slot], state.page
    first = party.accesses
    page = oldest_page(state, device)
    for _ in range(pages):
        extend_from(state, slot, first, device, 0, records[page].address * PAGE_BYTES)
        page = state.page[page].next
    first = party.accesses
    for _ in range(pages):
        page = oldest_page(state, device)
        leave_ring(state, page)
        settle(state, page, device + 1, new_address(state, page, device + 1))
        extend_from(state, slot, first, device + 1, 1, records[page].address * PAGE_BYTES)
    state.device[device].used -= pages
    state.device[device + 1].used += pages
    state.tally[0].evictions += pages


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def extend_from(state, slot, first, device, write, start):
    """As `_extend` of a page, but not beyond access number `first`."""
    if state.party[slot].accesses > first:
        _extend(state, slot, device, write, start, PAGE_BYTES)
    else:
        add_access(state, slot, device, write, start, PAGE_BYTES)
