"""What draws the figures."""
