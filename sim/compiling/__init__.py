"""The decorator of all compiled functions, and the cache of their compiled code."""

from pmtwin.sim.compiling.functions import DISABLING, compilations, njit, with_users

__all__ = ["DISABLING", "compilations", "njit", "with_users"]
