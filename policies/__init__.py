"""What decides: policies, one file each, without knowledge of any engine."""
