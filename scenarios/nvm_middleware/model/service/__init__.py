"""Service times of requests: work in the store, and speeds of the device by its population."""
