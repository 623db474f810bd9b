"""Deep Q-learning in one run: presets, ticks with their replay and database, rewards, and the agent that joins them."""
