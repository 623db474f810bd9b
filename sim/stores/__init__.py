"""Key-value stores shipped with the twin."""
