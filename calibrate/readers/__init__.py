"""Readers of measurement formats, one file each."""
