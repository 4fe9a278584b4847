"""Judging sessions, in which people compare items in pairs and a policy chooses the pairs."""
