"""`pmtwin infer`: unmeasured parameters of a scenario's model, from published or measured results of the system."""
