"""Predictions for a table of key-value operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.prediction.answer import Answer
from pmtwin.prediction.outside import operations_outside
from pmtwin.sim.device import law
from pmtwin.sim.device.effects.remote import LOCAL
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table
from pmtwin.sim.load.workload import OPERATIONS
from pmtwin.sim.store import points as store_points
from pmtwin.sim.store.file import DEFAULT_STORE, load_store
from pmtwin.sim.store.prediction import STORE_COLUMNS, STORE_SHOWN, predict_store

if TYPE_CHECKING:
    from pmtwin.prediction.config import Config

COLUMNS = (*store_points.REQUIRED, *store_points.OPTIONAL)
"""Columns of key-value operations."""


def is_of_store(table: Table) -> bool:
    """Whether a table has key-value operations; raises `InputError` if it has accesses as well."""
    table.require_columns(("operation",))
    asked = table.column("operation")
    of_store = [operation for operation in asked if operation in OPERATIONS]
    accesses = [operation for operation in asked if operation in (*law.OPERATIONS, MIXED)]
    if of_store and accesses:
        allowed = f"{', '.join(OPERATIONS)} in all rows or in none: accesses go into a table of their own"
        raise InputError("operation", accesses[0], allowed, table.place(asked.index(accesses[0])))
    return bool(of_store) or "records" in table.header


def predict_operations(config: Config, profile: Profile, table: Table) -> Answer:
    """Predictions for each row."""
    store = load_store(config.store or DEFAULT_STORE)
    points = store_points.parse_store_points(table, usual_dimms(profile))
    predicted = predict_store(profile, store, points.points, points.dimms)
    remarks = []
    if profile.name not in store.fits:
        fits = ", ".join(store.fits)
        remarks.append(f"store {store.name} was fitted beside {fits}, not {profile.name}: intervals are wider")
    if any(point.numa != LOCAL for point in points.points):
        remarks.append(f"store {store.name} was measured on the node of its data: other nodes are extrapolated")
    refused = np.full(len(table.rows), "", dtype=object)
    why = operations_outside(store, points.points)
    return Answer(table, predicted, STORE_COLUMNS, refused, remarks, STORE_SHOWN, why)
