"""The analytic tier: measures of a window from formulas, without random numbers (docs/analytic.md)."""
