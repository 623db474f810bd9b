"""What `pmtwin predict` reads and prints: a point on the command line, rows that a profile refuses, tables to read."""
