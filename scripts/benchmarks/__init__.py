"""One module a section of the benchmark, each with a function ``measure``."""
