"""Service times of requests: speeds of the device by what is in it, and the work in the store."""
