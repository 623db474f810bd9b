"""What the scenario adds to commands."""
