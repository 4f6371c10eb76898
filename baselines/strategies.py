"""The rival methods as strategies of a comparison, each an unfitted classifier.

The entry-point group ``oblique.strategies`` names these functions.
"""

from __future__ import annotations

from baselines.c45 import C45Classifier
from baselines.cart_lc import CartLC
from baselines.cost_trees import CSID3Classifier, EG2Classifier, IDXClassifier
from baselines.fisher import Fisher
from baselines.hhcart import HHCART
from baselines.icet import ICETClassifier
from baselines.linear_svm import LinearSVM
from baselines.oc1 import OC1Classifier
from baselines.principal_axes import PrincipalAxes
from baselines.regression import Logistic, Ridge
from baselines.robust_lp import RobustLP
from baselines.sparse_random import SparseRandom
from baselines.tao_tree import TAOTreeClassifier
from oblique import ObliqueTreeClassifier
from oblique.finders import AxisParallel, BestOf, Categories, SafeAdjusted, SplitFinder
from oblique.pruning import CostComplexity


def oc1() -> OC1Classifier:
    """OC1 with 20 starts and 5 jumps by information gain, unpruned (OC1 of Vadera 2005)."""
    return oc1_pruned().set_params(pruning=None)


def oc1_pruned() -> OC1Classifier:
    """OC1 by information gain, cost-complexity pruned on a tenth of the rows (Vadera 2005)."""
    # The program searches in the data's own units.
    return OC1Classifier(criterion="entropy", scaling=None, in_place_moves=True)


def oc1_released() -> OC1Classifier:
    """OC1 as its program was released: twoing, pruned on a tenth of the rows (Murthy 1994)."""
    return OC1Classifier(scaling=None, in_place_moves=True, exact_jumps=False)


def oc1_standardised() -> OC1Classifier:
    """OC1 by information gain, unpruned, searching in columns standardised at each node."""
    return OC1Classifier(criterion="entropy", pruning=None)


def oc1_standardised_pruned() -> OC1Classifier:
    """OC1 in standardised columns, cost-complexity pruned on a tenth of the rows."""
    return OC1Classifier(criterion="entropy")


def cart_lc() -> ObliqueTreeClassifier:
    """CART with linear combinations by twoing, unpruned (Breiman 1984; Murthy 1994)."""
    return ObliqueTreeClassifier(finder=BestOf(CartLC(), Categories()), criterion="twoing")


def cart_lc_pruned() -> ObliqueTreeClassifier:
    """CART with linear combinations, cost-complexity pruned on a tenth of the rows."""
    return cart_lc().set_params(pruning=CostComplexity())


def rlp() -> ObliqueTreeClassifier:
    """Robust linear programs, columns and categories compete, unpruned (RLP of Vadera 2005)."""
    return _with_categories(RobustLP("edge_descent"), AxisParallel())


def rlp_pruned() -> ObliqueTreeClassifier:
    """RLP, cost-complexity pruned on a tenth of the rows (RLP of Vadera 2005)."""
    return rlp().set_params(pruning=CostComplexity())


def rlp_safe() -> ObliqueTreeClassifier:
    """RLP with planes and thresholds moved to the safe side as LDT's are, unpruned."""
    return _with_categories(SafeAdjusted(RobustLP("edge_descent")), AxisParallel(threshold="safe"))


def hhcart() -> ObliqueTreeClassifier:
    """HHCART(A): cuts of reflected rows, all eigenvectors, by Gini (Wickramarachchi 2016)."""
    return _with_categories(HHCART(), criterion="gini")


def hhcart_d() -> ObliqueTreeClassifier:
    """HHCART(D): cuts of reflected rows, dominant eigenvectors (Wickramarachchi 2016)."""
    return _with_categories(HHCART(eigenvectors="dominant"), criterion="gini")


def svm() -> ObliqueTreeClassifier:
    """Signs of linear support vector machines, pairs of classes, unpruned (STree 2021)."""
    return _with_categories(LinearSVM())


def logistic() -> ObliqueTreeClassifier:
    """Best cut along l2 logistic regressions or of one column, unpruned (after aorsf 2024)."""
    return _with_categories(Logistic(), AxisParallel())


def ridge() -> ObliqueTreeClassifier:
    """Best cut along ridge regressions or of one column, unpruned (after obliqueRF 2011)."""
    return _with_categories(Ridge(), AxisParallel())


def quest() -> ObliqueTreeClassifier:
    """Fisher's discriminant of two superclasses, quadratic cut, unpruned (QUEST 1997)."""
    return _with_categories(Fisher(threshold="quadratic"))


def sporf() -> ObliqueTreeClassifier:
    """Best cut of d squared sparse random projections, unpruned (SPORF 2020, YDF)."""
    return _with_categories(SparseRandom(exponent=2.0))


def principal_axes() -> ObliqueTreeClassifier:
    """Best cut along the node's principal axes or of one column (after rotation forest 2006)."""
    return _with_categories(PrincipalAxes(), AxisParallel())


def icet() -> ICETClassifier:
    """ICET: genetic search for the tree of least cost, 1000 trials (Turney 1995)."""
    return ICETClassifier()


def c45() -> C45Classifier:
    """C4.5 release 8 with its defaults: gain ratio, pruned by estimated errors (Quinlan 1993)."""
    return C45Classifier()


def j48() -> C45Classifier:
    """J48 of Weka with its defaults: C4.5 with exact confidence limits (Witten & Frank 2000)."""
    return C45Classifier(preset="j48")


def eg2() -> EG2Classifier:
    """EG2: C4.5's tree by gain for cost, as the comparison prices tests, else 1 (Nunez 1991)."""
    return EG2Classifier()


def cs_id3() -> CSID3Classifier:
    """CS-ID3: squared gain for cost, as the comparison prices tests, else 1 (Tan 1990)."""
    return CSID3Classifier()


def idx() -> IDXClassifier:
    """IDX: gain for cost, as the comparison prices tests, else 1 (Norton 1989)."""
    return IDXClassifier()


def tao() -> TAOTreeClassifier:
    """Our own: leave-one-out regressions, improved by TAO, the most accurate size by folds."""
    return TAOTreeClassifier()


def tao_small() -> TAOTreeClassifier:
    """As tao, but the smallest size within a standard error of the most accurate one."""
    return TAOTreeClassifier(size="small")


def _with_categories(*finders: SplitFinder, criterion: str = "entropy") -> ObliqueTreeClassifier:
    return ObliqueTreeClassifier(finder=BestOf(*finders, Categories()), criterion=criterion)
