"""The report of `pmtwin run`: one HTML file that needs nothing else, neither files nor network."""
