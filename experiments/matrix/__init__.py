"""Preference matrices: read, built in, made from judged data, exactly or by simulation."""
