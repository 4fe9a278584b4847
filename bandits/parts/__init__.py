"""Functions and parts of states that several policies share; each file is named by what it holds."""
