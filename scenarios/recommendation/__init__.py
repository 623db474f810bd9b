"""The best fixed setting of a context, and how sure that is: formulas choose candidates, the twin decides among them.

`screening` orders all settings by formulas, `windows` runs the twin at some of them, `stages` narrows them down to a
`final`, and `search` tells what the answer rests on. Attainment is the share of windows that meet all goals.
"""
