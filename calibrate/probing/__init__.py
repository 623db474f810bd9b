"""The probe: which cases a device is measured with, in which order, and when to stop."""
