"""Commands are tested as they are after their first use."""

import pytest


@pytest.fixture(autouse=True)
def compiled_before(monkeypatch):
    """No line about compiling, whose absence or presence would hang on what ran before."""
    monkeypatch.setattr("pmtwin.cli.compiling.is_cold", lambda: False)
