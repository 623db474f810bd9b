"""The job of fio that measures what a block device's parameters need."""

HEAD = """\
; FILE=/mnt/device/pmtwin.dat fio --output-format=json block.fio > fio.json
; FILE is made if it does not exist, and OVERWRITTEN. Give a file, not a device with data.
[global]
filename=${FILE}
size=4g
direct=1
ioengine=libaio
time_based
ramp_time=2
runtime=20
stonewall
"""

SECTIONS = (
    ("random-{kind}-4k", "rand{kind}", "4k", 1),
    ("random-{kind}-64k", "rand{kind}", "64k", 1),
    ("sequential-{kind}-4k", "{kind}", "4k", 1),
    ("random-{kind}-4k-deep", "rand{kind}", "4k", 64),
    ("sequential-{kind}-1m-deep", "{kind}", "1m", 8),
)
"""Name, rw, block size and queue depth of the runs of each kind, reads and writes."""


def job_file() -> str:
    """The job file."""
    parts = [HEAD]
    for kind in ("read", "write"):
        for name, way, size, depth in SECTIONS:
            parts.append(f"[{name.format(kind=kind)}]\nrw={way.format(kind=kind)}\nbs={size}\niodepth={depth}\n")
    return "\n".join(parts)
