"""Reports: one page that needs no network, and the same charts as files."""
