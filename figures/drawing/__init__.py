"""How figures are drawn: style, numbers, and files of a drawing."""
