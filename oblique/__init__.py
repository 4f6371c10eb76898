"""Oblique decision trees that can be trained, compared and explained."""
