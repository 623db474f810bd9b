"""The whole two-tiered storage of section III: processes with page caches and I/O threads, and shared disks."""
