"""What decisions cost: tests that are paid for and errors that are not alike (Turney 1995).

`CostModel` prices the tests and the errors and tells what a tree costs on cases; `load_costs`
has the published tables, `read_costs` reads your own.
"""

from oblique.costs.accounting import CaseCosts
from oblique.costs.model import CostModel
from oblique.costs.tables import list_costs, load_costs, read_costs, read_errors
from oblique.costs.test_cost import TestCost

__all__ = [
    "CaseCosts",
    "CostModel",
    "TestCost",
    "list_costs",
    "load_costs",
    "read_costs",
    "read_errors",
]
