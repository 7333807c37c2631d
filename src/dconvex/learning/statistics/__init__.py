"""Additive statistics of families, from columns: all that estimation needs to know of the data."""
