"""Small neural networks that choose an action, trained elsewhere."""
