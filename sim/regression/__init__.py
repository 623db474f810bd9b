"""Linear regression models of times: formulas in R's notation, and files of their estimates."""
