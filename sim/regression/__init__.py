"""Times by regression: formulas in R's notation, and files of their estimates."""
