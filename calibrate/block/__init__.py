"""Parameters of a block device (`pmtwin.sim.hybrid`) from measurements by fio (`pmtwin calibrate --form block`)."""
