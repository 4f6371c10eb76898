"""Compiled loop that draws the rows of a genetic search's trials."""

import numpy as np

from projection.jit import inline, jit


@inline
def _mixed(state):
    """Steele, Lea & Flood (2014), SplitMix64: 64 bits that hang on each bit of the state."""
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def draw_members(seed, trials, n, n_members):
    """Which of n rows each trial grows its tree on, (n_trials, n).

    The draw of a trial follows from the seed and its number alone.
    """
    step = np.uint64(0x9E3779B97F4A7C15)
    members = np.zeros((trials.shape[0], n), np.bool_)
    for m in range(trials.shape[0]):
        state = _mixed(np.uint64(seed) + step) ^ _mixed(np.uint64(trials[m]) + step)
        wanted = n_members
        for row in range(n):
            state += step
            # Selection sampling: each row with the chance that the wanted ones have among the
            # rest; 32 bits of chance suffice for tables that fit into memory.
            chance = _mixed(state) >> np.uint64(32)
            if chance * np.uint64(n - row) < np.uint64(wanted) << np.uint64(32):
                members[m, row] = True
                wanted -= 1
    return members
