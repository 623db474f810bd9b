"""Policies of hybrid storages, one file each: which device a write goes to, and which page moves."""
