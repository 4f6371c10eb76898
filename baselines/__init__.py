"""Rival methods that the trees of `oblique` are compared with, one file a method."""
