"""This machine: processors, memory and media, the native programs, compiled code."""
