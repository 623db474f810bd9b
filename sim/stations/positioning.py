"""Time until data of a hard disk are below its head.

The angle of an address is its place on its track; tracks are skewed so that data in order pass the head without a
break. Time and angle are counted from the end of the last transfer, when the head was behind the last byte, so that the
slower rate of writes breaks no stream. A read that goes on where the last read ended waits for no rotation, since disks
read ahead into their buffer (`disk_queue`).
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False, forceinline=True)
def positioning_ns(disk, head, settled_ns, address, now_ns):
    """Time until an address is below the head: seek, then rotation.

    Args:
        disk: record of `HARD_DISK`. head: address that was below the head at `settled_ns`. address: the wanted one.
    """
    distance = np.float64(address - head)
    seek_ns = 0.0
    if abs(distance) >= disk.track_bytes:
        share = abs(distance) * disk.per_stroke
        seek_ns = disk.track_ns + disk.root_ns * np.sqrt(share) + disk.share_ns * share
    turns = distance * disk.per_track - (now_ns - settled_ns + seek_ns) * disk.per_rotation
    return seek_ns + (turns - np.floor(turns)) * disk.rotation_ns
