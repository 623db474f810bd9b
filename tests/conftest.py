"""Fixtures shared by all rooms."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real measurements beside the checkout; tests that use it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder ../shared/data with the real measurements is not here")
    return SHARED_DATA
