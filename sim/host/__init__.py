"""The host: its station of hardware threads, and files of its parameters."""
