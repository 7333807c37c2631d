"""Cross-validation: models learned from some rows of a table, judged by the others."""
