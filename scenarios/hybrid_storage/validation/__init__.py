"""Real files beside the model of the storage."""
