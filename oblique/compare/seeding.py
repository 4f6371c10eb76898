"""Seeds made from the names of what they are for.

A seed is a hash of a base seed and of named axes (data set, train size, repeat), never a
position in a list. So all strategies see the same split of a repeat, which makes the
comparison a paired one, and a design that grows keeps every cell that it had.
"""

import json
from hashlib import sha256


def derive_seed(base: int, **axes: str | float) -> int:
    """Return a seed of 32 bits for the given axes.

    Parameters
    ----------
    base : int
        Seed of the whole design.
    **axes : str or float
        Name and value of every axis that the random choice may depend on.
    """
    text = json.dumps([base, sorted(axes.items())])
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")
