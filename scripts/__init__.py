"""Thin programs around the packages: benchmark, tables of the papers, pictures."""
