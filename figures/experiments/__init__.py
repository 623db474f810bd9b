"""What is run for the figures: each experiment returns plain values that JSON can hold."""
