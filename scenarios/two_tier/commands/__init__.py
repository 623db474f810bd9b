"""Additions of the two-tiered storage to commands: worked examples, and replays of traces."""
