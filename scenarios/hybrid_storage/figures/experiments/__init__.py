"""Experiments behind the figures."""
