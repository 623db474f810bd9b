"""Agents of hybrid storages that learn while they run: Harmonia, Sibyl, and a single agent for both decisions."""
