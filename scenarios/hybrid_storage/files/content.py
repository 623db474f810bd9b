"""Content of a page in a file: its number and version, words that follow from them, and a checksum over all."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.stream import PAGE_BYTES

WORDS = PAGE_BYTES // 8
NUMBER, VERSION, FIRST, CHECKSUM = 0, 1, 2, WORDS - 1
"""Places in a page: its number and version, the first of the other words, and the checksum."""

_OF_NUMBER, _OF_VERSION, _STEP = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)
_OF_NOTHING = np.uint64(0x27D4EB2F165667C5)
"""Checksum of zeros, so that an empty page is a wrong one."""


@njit(cache=True, _nrt=False)
def fill(words, number, version):
    """Write the content of a page.

    Args:
        words: shape (`WORDS`,), uint64. number: of the page. version: of its content, uint64.
    """
    words[NUMBER], words[VERSION] = np.uint64(number), version
    word = np.uint64(number) * _OF_NUMBER ^ version * _OF_VERSION
    for place in range(FIRST, CHECKSUM):
        word += _STEP
        words[place] = word
    words[CHECKSUM] = checksum(words)


@njit(cache=True, _nrt=False)
def is_right(words, number, version):
    """Whether a page that was read has this number, this version, and the checksum of its words."""
    return words[NUMBER] == np.uint64(number) and words[VERSION] == version and words[CHECKSUM] == checksum(words)


@njit(cache=True, _nrt=False, inner=True)
def checksum(words):
    """Sum of all words but the last, each times an odd number of its place, so that no word and no order can change."""
    total, factor = _OF_NOTHING, np.uint64(1)
    for place in range(CHECKSUM):
        total += words[place] * factor
        factor += np.uint64(2)
    return total


@njit(cache=True, _nrt=False)
def fill_all(words, first, version):
    """Fill consecutive pages from number `first` on; `words`: shape (n, `WORDS`)."""
    for row in range(words.shape[0]):
        fill(words[row], first + row, version)
