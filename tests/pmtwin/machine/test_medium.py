"""What a pool lies on, on machines laid out in a folder that have several kinds of memory at once."""

import os

import pytest

from pmtwin.middleware.settings import NativeSettings
from pmtwin.probe.run import _confirm_media
from pmtwin.scenarios.nvm_middleware.validation.measured import medium_of
from pmtwin.sim.errors import InputError

BUSES = {  # device: number, place of its bus, provider, kind of its region
    "pmem0": ("259:0", "LNXSYSTM:00/ACPI0012:00/ndbus0", "ACPI.NFIT", "nd_pmem"),
    "pmem1": ("259:1", "platform/e820_pmem/ndbus1", "e820", "nd_pmem"),
    "pmem2": ("259:2", "pci0000:00/virtio2/ndbus2", "virtio-pmem", "nd_pmem"),
    "pmem3": ("259:3", "LNXSYSTM:00/ACPI0012:00/ndbus0", "ACPI.NFIT", "nd_volatile"),
    "pmem4": ("259:4", "root0/nvdimm-bridge0/ndbus4", "CXL", "nd_pmem"),
    "pmem5": ("259:5", "platform/of_pmem/ndbus5", "", "nd_pmem"),
    "pmem6": ("259:6", "LNXSYSTM:00/ACPI0012:00/ndbus0", "ACPI.NFIT", ""),
}
MAPPED = {"dm-0": ("254:0", ("pmem0", "pmem4")), "dm-1": ("254:1", ("pmem0", "pmem1"))}
OTHERS = {"vda": "253:0", "tmpfs": "0:25", "myfs": "0:40"}
MOUNTS = {  # folder: device, type, options of the file system
    **{name: (name, "ext4", "rw,dax=always") for name in (*BUSES, *MAPPED)},
    "part": ("pmem0p1", "xfs", "rw,dax"),
    "cached": ("pmem0", "ext4", "rw"),
    "disk": ("vda", "ext4", "rw,dax"),
    "in memory": ("tmpfs", "tmpfs", "rw"),
    "shared": ("myfs", "virtiofs", "rw,dax"),
}


def lay_out(root, virtual=False):
    """A machine with all of them."""
    block = root / "sys/dev/block"
    block.mkdir(parents=True)
    numbers = dict(OTHERS)

    def add(name, number, place):
        numbers[name] = number
        place.mkdir(parents=True)
        (block / number).symlink_to(os.path.relpath(place, block))
        return place

    for name, (number, bus, provider, kind) in BUSES.items():
        region = root / "sys/devices" / bus / f"region{name[-1]}"
        place = add(name, number, region / f"namespace{name[-1]}.0/block" / name)
        (region.parent / "provider").write_text(f"{provider}\n")
        (region / "devtype").write_text(f"{kind}\n")
        if name == "pmem0":
            add("pmem0p1", "259:7", place / "pmem0p1")
    for name, (number, parts) in MAPPED.items():
        slaves = add(name, number, root / "sys/devices/virtual/block" / name) / "slaves"
        slaves.mkdir()
        for part in parts:
            (slaves / part).symlink_to(os.path.relpath((block / numbers[part]).resolve(), slaves))
    add("vda", numbers["vda"], root / "sys/devices/pci0000:00/virtio0/block/vda")
    lines = [f"20 1 8:1 / {root}/mnt rw - ext4 /dev/sda1 rw"]
    for folder, (device, kind, options) in MOUNTS.items():
        (root / "mnt" / folder / "pool").mkdir(parents=True)
        name = str(root / "mnt" / folder).replace(" ", "\\040")
        lines.append(f"21 20 {numbers[device]} / {name} rw,relatime shared:1 - {kind} /dev/{device} {options}")
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").write_text("\n".join(lines) + "\n")
    (root / "proc/cpuinfo").write_text(f"flags : fpu clwb{' hypervisor' if virtual else ''}\n")
    return root


def medium(root, folder):
    return medium_of(NativeSettings(store="pmemkv", path=str(root / folder)), root)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("pmem0", "pmem"),
        ("pmem4", "pmem"),
        ("part", "pmem"),
        ("dm-0", "pmem"),
        ("pmem1", "dram"),
        ("pmem3", "dram"),
        ("in memory", "dram"),
    ],
)
def test_the_device_below_the_mount_decides_whatever_else_the_machine_has(tmp_path, folder, expected):
    assert medium(lay_out(tmp_path), f"mnt/{folder}/pool") == expected


@pytest.mark.parametrize(
    ("folder", "named"),
    [
        ("mnt/pmem2", "virtio-pmem"),
        ("mnt/pmem5", "without a name"),
        ("mnt/pmem6", "kind unknown"),
        ("mnt/dm-1", "persistent memory .* and DRAM"),
        ("mnt/cached", "ext4 without direct access"),
        ("mnt/disk", "vda, which is no persistent memory"),
        ("mnt/shared", "virtiofs on no block device"),
        ("mnt", "ext4 without direct access"),
        ("", "unknown"),
        ("mnt/none", "a folder"),
    ],
)
def test_a_pool_on_anything_else_is_refused_with_what_it_is(tmp_path, folder, named):
    with pytest.raises(InputError, match=f"--path.*{named}"):
        medium(lay_out(tmp_path), folder)


def test_a_virtual_module_is_not_taken_for_a_real_one(tmp_path):
    root = lay_out(tmp_path, virtual=True)
    with pytest.raises(InputError, match="virtual device"):
        medium(root, "mnt/pmem0")
    assert medium(root, "mnt/pmem1") == "dram"


@pytest.mark.parametrize(("folder", "media"), [("pmem0", "pmem"), ("pmem1", "dram"), ("pmem2", "dram")])
def test_a_probe_calls_persistent_memory_what_a_validation_does(tmp_path, folder, media):
    context = {"media": "pmem", "warnings": []}
    _confirm_media(context, str(lay_out(tmp_path) / "mnt" / folder), tmp_path)
    assert context["media"] == media
    assert bool(context["warnings"]) == (media != "pmem")
