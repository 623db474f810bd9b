"""The whole two-tiered storage of section III: processes with page caches, I/O threads, and disks that all share."""
