"""Hosts shipped with the twin."""
