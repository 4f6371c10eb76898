"""Convex geometry: polyhedra, metrics and projections onto them."""
