"""Input and output of `pmtwin predict`: a point on the command line, tables of points, and tables of predictions."""
