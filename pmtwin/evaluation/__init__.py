"""Tables for the results of evaluations and recommendations."""
