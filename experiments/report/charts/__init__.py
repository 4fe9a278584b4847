"""Charts: functions from a table to an Altair chart, for pages and for files."""
