"""Figures of the paper, and of the authors' own run: experiments, and what draws them."""
