"""The learning kit: layers, heads, optimisers, target copies and replays; trained networks and their files."""
