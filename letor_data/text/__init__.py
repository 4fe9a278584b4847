"""LETOR text: reading it block by block, and writing it."""
