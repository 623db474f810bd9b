"""Map from pages to caching processes (section III): one process for each page, so that tier 1 has a single copy."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.errors import check_range, unknown_name

ROUND_ROBIN, RANDOM, BLOCK, BLOCK_CYCLIC = "round-robin", "random", "block", "block-cyclic"
MAPPINGS = (ROUND_ROBIN, RANDOM, BLOCK, BLOCK_CYCLIC)

_MUL_1, _MUL_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def owners(mapping: str, pages: int, processes: int, block_pages: int = 1) -> np.ndarray:
    """The process that caches each page.

    Args:
        mapping: round-robin: page mod P; random: a hash of the page; block: one block of neighbours for each process;
            block-cyclic: blocks of `block_pages` neighbours in turn.
        pages: number of pages.
        processes: number of processes, P.
        block_pages: number of pages of a block, for block-cyclic.

    Returns:
        Process of each page, 0 to P - 1: int32, shape (pages,).

    Raises:
        InputError: for an unknown mapping, or a number below 1.
    """
    for name, value in (("pages", pages), ("processes", processes), ("block_pages", block_pages)):
        check_range(name, value, 1, 2**31 - 1)
    numbers = np.arange(pages, dtype=np.int64)
    if mapping == ROUND_ROBIN:
        places = numbers % processes
    elif mapping == RANDOM:
        places = (_hashed(numbers) % np.uint64(processes)).astype(np.int64)
    elif mapping == BLOCK:
        places = numbers * processes // pages
    elif mapping == BLOCK_CYCLIC:
        places = numbers // block_pages % processes
    else:
        raise unknown_name("mappings", mapping, MAPPINGS)
    return places.astype(np.int32)


def _hashed(numbers: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64."""
    z = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * _MUL_1
    z = (z ^ (z >> np.uint64(27))) * _MUL_2
    return z ^ (z >> np.uint64(31))
