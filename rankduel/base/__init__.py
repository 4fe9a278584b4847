"""The base layer: compiling, settings, errors, files, streams and threads. Imports no other package of
ours."""
