"""The experiments of Vadera (2005), each figure beside the printed one.

S. Vadera, "Inducing safer oblique trees without costs", Expert Systems 22(4), 2005, 206-221.
`scripts/reproduce.py` runs them, and the same design with what the paper did not have (`beyond`).
"""
