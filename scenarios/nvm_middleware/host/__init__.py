"""The host's own parameters, measured on this machine with the real middleware, and the file that carries them."""
