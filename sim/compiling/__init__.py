"""The decorator of all compiled functions, and the cache of their compiled code."""

from pmtwin.sim.compiling.functions import DISABLING, INNER, compilations, njit, with_users

__all__ = ["DISABLING", "INNER", "compilations", "njit", "with_users"]
