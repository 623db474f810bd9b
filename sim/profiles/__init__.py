"""Profiles shipped with the twin."""
