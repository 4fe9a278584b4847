"""The functions that `rankduel` exports and that no single package could hold. Use them as
`rankduel.NAME`."""
