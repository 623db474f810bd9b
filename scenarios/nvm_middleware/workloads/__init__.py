"""Workloads by name: YCSB, statistics of the Azure Functions blob trace, SVD jobs, the experiment of section 4.2."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pmtwin.scenarios.nvm_middleware.workloads.azure_blob import blob_class
from pmtwin.scenarios.nvm_middleware.workloads.files import FORMS, file_workload, is_file
from pmtwin.scenarios.nvm_middleware.workloads.section_4_2 import section_4_2_workload
from pmtwin.scenarios.nvm_middleware.workloads.svd import svd_class
from pmtwin.scenarios.nvm_middleware.workloads.ycsb import MIXES, ycsb_class
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.load.workload import ClassWorkload, Workload

NO_CLIENTS = ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=1, write_sizes_bytes=1)


def _ycsb(letter: str) -> Workload:
    return Workload(f"ycsb-{letter}", ycsb_class(letter), NO_CLIENTS, {"twin_only": MIXES[letter].twin_only})


_MAKERS: dict[str, Callable[[], Workload]] = {
    "section-4.2": section_4_2_workload,
    "azure-blob": lambda: Workload("azure-blob", blob_class(), NO_CLIENTS),
    "svd": lambda: Workload("svd", NO_CLIENTS, svd_class()),
    "traces": lambda: Workload("traces", blob_class(), svd_class()),
    **{f"ycsb-{letter}": partial(_ycsb, letter) for letter in MIXES},
}


def workload_names() -> tuple[str, ...]:
    """The names that `make_workload` knows, sorted."""
    return tuple(sorted(_MAKERS))


def make_workload(name: str) -> Workload:
    """The workload of that name with its default clients and rates.

    `azure-blob`, `svd` and `traces` (both together, as the thesis collected them) are paced at 150,000 operations/s a
    class, the others send at once.

    Args:
        name: of `workload_names`, or of a file (`files.file_workload`).

    Raises:
        InputError: for an unknown name, or for a fault of a file.
    """
    if is_file(name):
        return file_workload(name)
    if name not in _MAKERS:
        raise unknown_name("workload", name, _MAKERS, shown=[*workload_names(), FORMS])
    return _MAKERS[name]()


__all__ = ["FORMS", "NO_CLIENTS", "is_file", "make_workload", "workload_names"]
