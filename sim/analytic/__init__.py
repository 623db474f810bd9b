"""The analytic tier: what a window shows, from formulas, without random numbers (docs/analytic.md)."""
