"""One HTML page for all reports: templates, style sheet, drawings inside the page; a file that needs nothing else."""
