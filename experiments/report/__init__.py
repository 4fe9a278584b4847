"""Reports: one self-contained HTML page, and the same charts as files."""
