"""``python -m oblique.cli``, the same as ``oblique``."""

import sys

from oblique.cli import main

sys.exit(main())
