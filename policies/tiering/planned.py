"""Migration on the path of requests alone: pages move after a number of requests, none in the background."""

from __future__ import annotations

from typing import Any

from pmtwin.policies.migration import Migration


class PlannedMigration(Migration):
    """A policy with `plan`, whose option `every` is the number of requests after which pages move."""

    options: Any

    @property
    def every(self):
        return self.options.every

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """No page in the background."""
        return -1
