"""One function per method, all with the same signature."""
