"""Value models: the share of coming windows that keep the goals, from the last windows and a possible next setting."""
