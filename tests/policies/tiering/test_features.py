"""Places of the features that policies of hybrid storages read."""

from pmtwin.policies.tiering import features
from pmtwin.sim.hybrid.columns import columns_of
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.stream import PAGE_BYTES


def test_they_are_those_of_the_declared_columns():
    names = [column.name for column in columns_of(HybridOptions(devices="quad").block_devices)]
    for place in ("WRITE", "PAGES", "INTERVAL", "COUNT", "FREE", "DEVICE", "SINCE_MOVE", "EVICTIONS", "PAGE"):
        assert names[getattr(features, place)] == place.lower()
    assert len(names[features.FURTHER : features.EVICTIONS]) == 2
    assert features.PAGE_BYTES == PAGE_BYTES
