"""The probe's plan: which cases a device is measured by, in which order, and when it is enough."""
