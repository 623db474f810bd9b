"""Search for the best fixed setting of a context, with its uncertainty: formulas choose candidates, the twin decides.

`screening` ranks all settings by formulas, `windows` runs the twin at some of them, `stages` narrows these down to a
`final`, and `search` returns the answer with its evidence. Attainment is the share of windows that meet all goals.
"""
