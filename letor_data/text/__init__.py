"""Reading and writing of LETOR text."""
