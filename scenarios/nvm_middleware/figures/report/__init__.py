"""What the report says of the thread-pool scenario."""
