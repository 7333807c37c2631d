"""The columns of tables, whatever library holds them: cells, and rows of them as state codes or as numbers."""
