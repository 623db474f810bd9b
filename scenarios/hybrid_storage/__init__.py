"""Hybrid storage: which device holds a page, and when it moves (Nadig and others, "Harmonia", 2025)."""
