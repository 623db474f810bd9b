"""Properties of this machine (processors, memory, media), the native programs, and compiling in advance."""
