"""HTML reports: each page is one self-contained file that needs no network."""
