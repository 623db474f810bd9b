"""Tables of runs and comparisons: policies, recommendations, explanations."""
