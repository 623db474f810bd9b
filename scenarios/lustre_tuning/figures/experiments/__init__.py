"""Experiments behind the figures: each returns plain values that JSON can hold."""
