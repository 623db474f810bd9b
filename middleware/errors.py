"""What the native module throws, as the errors of this project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pmtwin.middleware import binding
from pmtwin.sim.errors import InputError, PmtwinError, input_error_of


class StoreError(PmtwinError):
    """The store below the middleware, or the machine, did not do what it was asked for."""

    exit_code = 3


@contextmanager
def our_errors() -> Iterator[None]:
    """Errors of calls of the native module within it are `InputError` or `StoreError`.

    Raises:
        InputError: the native module's.
        StoreError: its EngineError, and what C++ itself throws: no memory, no thread.
    """
    native = binding.load()
    try:
        yield
    except native.InputError as error:
        raise input_error_of(str(error)) or InputError("store", str(error), "what the middleware takes") from error
    except native.EngineError as error:
        raise StoreError(str(error)) from error
    except MemoryError as error:
        raise StoreError("the middleware has no memory left: fewer keys or smaller values need less") from error
    except RuntimeError as error:
        raise StoreError(f"the middleware failed: {error}") from error
