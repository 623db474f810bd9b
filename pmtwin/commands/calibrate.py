"""`pmtwin calibrate`: from measurements of a device to its profile, with a report that says where not to trust it."""

from __future__ import annotations

from pmtwin.calibration.config import DESCRIPTION, EXAMPLES, Config
from pmtwin.calibration.suggestions import print_suggestions

__all__ = ["DESCRIPTION", "EXAMPLES", "Config", "run"]


def run(config: Config) -> None:
    """Fit a device profile, a store or a regression, print its errors, and write its file and report."""
    if config.form == "block":
        from pmtwin.calibration.block import run_block

        return run_block(config)
    if config.form:
        from pmtwin.calibration.regression import run_form

        return run_form(config, config.form)
    if config.store:
        from pmtwin.calibration.store import run_store

        return run_store(config)
    if config.suggest:
        return print_suggestions(config, config.suggest)
    from pmtwin.calibration.device import run_device

    return run_device(config)
