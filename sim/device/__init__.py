"""The device law and the profile that carries its parameters."""
