"""What the two-tiered storage adds to commands: worked examples, and replays of traces."""
