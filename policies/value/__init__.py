"""One function of what was seen and of the setting to jump to: how many of the coming windows will keep the goals."""
