"""What the figures show: experiments on the twin, each with values that its plots take."""
