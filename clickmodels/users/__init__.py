"""Click models of the literature, one user a file. A new file with a USER is a new click model."""
