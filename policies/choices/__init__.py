"""The shipped choices among numbered actions, inside a simulation."""
