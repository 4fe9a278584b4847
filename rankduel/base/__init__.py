"""Compiling, settings, errors, files, random streams and threads; imports no other package of the project."""
