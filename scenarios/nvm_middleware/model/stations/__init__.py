"""Stations of the thread pools' network."""
