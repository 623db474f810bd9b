"""What the scenario changes in commands: the length of evaluations."""
