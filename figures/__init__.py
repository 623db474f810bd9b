"""Tables and figures of the papers, computed, beside the published values.

`experiments` run the twin and return plain values; `plots` turn those into figures, tables and checked statements;
`registry` is the one table of what there is.
"""
