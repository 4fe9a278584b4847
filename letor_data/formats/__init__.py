"""Formats of judged data, one per file; see rankduel.letor_data.contract."""
