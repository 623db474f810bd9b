"""From measurements to a profile: readers, cleaning, fitting, uncertainty, the fit report."""
