"""Sizing: the least fast capacity, and a policy, that keep a promise on a trace or workload, by simulation."""
