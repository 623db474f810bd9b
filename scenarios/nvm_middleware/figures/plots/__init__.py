"""The drawings and tables of the experiments."""
