"""Threads of a real store beside the model of the machine."""
