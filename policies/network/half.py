"""Numbers in half precision (IEEE 754 binary16) in compiled code, where numba has no such type."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit

_LEAST_NORMAL = np.float32(2.0**-14)
_OVERFLOW = np.float32(65520.0)
_SUBNORMALS = np.float32(2.0**24)
"""Subnormal numbers are multiples of its inverse."""


@njit(cache=True, _nrt=False)
def half_bits(value):
    """The 16 bits of the nearest number, of two equally near ones the even one; uint16.

    Args:
        value: float32.
    """
    bits = np.int64(np.float32(value).view(np.int32))
    sign = np.int64(0x8000) if bits < 0 else np.int64(0)
    size = abs(value)
    if np.isnan(value):
        return np.uint16(0x7E00)
    if size >= _OVERFLOW:
        return np.uint16(sign | 0x7C00)
    if size < _LEAST_NORMAL:
        return np.uint16(sign | np.int64(np.rint(size * _SUBNORMALS)))
    bits &= 0x7FFFFFFF
    bits += 0xFFF + ((bits >> 13) & 1)
    return np.uint16(sign | ((bits >> 13) - (112 << 10)))


@njit(cache=True, _nrt=False)
def from_half(bits):
    """The float32 number of 16 bits, uint16."""
    size = np.int64(bits) & 0x7FFF
    if size < 0x400:
        value = np.float32(size) / _SUBNORMALS
    else:
        exponent = 0x7F800000 if size >= 0x7C00 else ((size >> 10) + 112) << 23
        value = np.int32(exponent | ((size & 0x3FF) << 13)).view(np.float32)
    return -value if bits & 0x8000 else value
