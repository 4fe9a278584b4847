"""Charts: a table in, an Altair chart out; the same on a page and in a file."""
