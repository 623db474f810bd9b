"""The figures of the device model, which scenarios on a device profile share."""

from pmtwin.figures.registry import Entry

DEVICE_ENTRIES = (
    Entry(
        "calibration",
        "Error of the device model, and a re-fit",
        "targets of the project",
        ("calibration",),
        "pmtwin.figures.plots.calibration:render",
        "The device",
    ),
    Entry(
        "device-threads",
        "Bandwidth of the device by threads",
        "FAST'20, figure 4",
        ("device",),
        "pmtwin.figures.plots.device:render_threads",
        "The device",
    ),
    Entry(
        "device-sizes",
        "Bandwidth of the device by access size",
        "FAST'20, figure 5",
        ("device",),
        "pmtwin.figures.plots.device:render_sizes",
        "The device",
    ),
    Entry(
        "device-mix",
        "Bandwidth of mixed reads and writes",
        "FAST'20, figure 6",
        ("device",),
        "pmtwin.figures.plots.device:render_mix",
        "The device",
    ),
    Entry(
        "saturation",
        "Simulated saturation bandwidth on the law's",
        "the device law",
        ("saturation",),
        "pmtwin.figures.plots.saturation:render",
        "The device",
    ),
)
