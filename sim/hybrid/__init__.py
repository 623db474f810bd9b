"""Hybrid storage: block devices of different speed that together hold the pages of a workload."""
