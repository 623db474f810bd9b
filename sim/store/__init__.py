"""Operations of a key-value store on a device, without a middleware: the law, the shipped store files, predictions.

>>> store = load_store()                       # pmemkv's cmap
>>> points = parse_store_points(table)         # operation, threads, value_bytes, records
>>> predict_store(profile, store, points)["throughput_ops"]
"""

from pmtwin.sim.store.counts import OPERATIONS, StorePoint
from pmtwin.sim.store.file import DEFAULT_STORE, StoreFile, load_store, store_names
from pmtwin.sim.store.points import parse_store_points
from pmtwin.sim.store.prediction import predict_store

__all__ = [
    "DEFAULT_STORE",
    "OPERATIONS",
    "StoreFile",
    "StorePoint",
    "load_store",
    "parse_store_points",
    "predict_store",
    "store_names",
]
