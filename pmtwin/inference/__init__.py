"""`pmtwin infer`: parameters of a scenario's model that nobody measured, from published or measured statements."""
