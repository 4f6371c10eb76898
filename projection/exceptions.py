"""Errors of the package: one root, so that a caller can catch them all."""


class ProjectionError(Exception):
    """Root of the errors raised by `projection`."""


class InputError(ProjectionError, ValueError):
    """An argument is unusable; the text names it, its value and the remedy."""
