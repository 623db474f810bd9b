"""Drawings of the figures."""
