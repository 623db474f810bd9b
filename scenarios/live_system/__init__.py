"""Live systems: any running system that a user's file measures and controls, as a scenario."""
