"""What is shown: each module turns the values of experiments into figures, tables and checked statements."""
