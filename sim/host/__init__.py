"""The host: the station of its hardware threads, and files of its parameters."""
