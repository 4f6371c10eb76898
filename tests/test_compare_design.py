import numpy as np
import pytest
from odd_classifiers import Majority
from sklearn.tree import DecisionTreeClassifier

from oblique.compare import Design, Strategy
from oblique.compare.seeding import derive_seed
from oblique.compare.splitting import TrainTest, split_rows
from oblique.datasets import load_dataset, make_dataset

CART = Strategy("cart", DecisionTreeClassifier())
OTHER = Strategy("majority", Majority())


def keys(design):
    return [cell.key for cell in design.cells()]


def test_cells_are_the_product_of_the_axes():
    design = Design(["pima", "bupa"], [CART, OTHER], train_sizes=[0.3, 0.5], repeats=3)
    cells = design.cells()
    assert len(cells) == len({cell.key for cell in cells}) == 2 * 2 * 2 * 3
    assert [cell.split.repeat for cell in cells[:8]] == [0] * 8
    assert cells[0].label == "pima cart 30/70 #1"


def test_folds():
    design = Design(["bupa"], [CART], n_folds=5, repeats=2)
    cells = design.cells()
    assert [(c.split.repeat, c.split.fold) for c in cells] == [
        (r, f) for r in (0, 1) for f in range(5)
    ]
    assert len({cell.seed for cell in cells}) == 2
    labels = load_dataset("bupa").target.to_numpy()
    tested = np.concatenate([split_rows(labels, c.split, seed=c.seed)[1] for c in cells[:5]])
    assert sorted(tested) == list(range(len(labels)))


def test_all_strategies_see_the_same_split():
    cells = Design(["pima", "bupa"], [CART, OTHER], repeats=4).cells()
    seeds = {}
    for cell in cells:
        seeds.setdefault((cell.source.name, cell.split), set()).add(cell.seed)
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds)


@pytest.mark.parametrize(
    "larger",
    [
        {"datasets": ["bupa", "pima"]},
        {"strategies": [OTHER, CART]},
        {"train_sizes": [0.7, 0.5]},
        {"repeats": 5},
    ],
)
def test_growing_a_design_changes_no_cell(larger):
    small = {"datasets": ["pima"], "strategies": [CART], "train_sizes": [0.5], "repeats": 3}
    assert set(keys(Design(**small))) < set(keys(Design(**{**small, **larger})))


def test_what_changes_a_key():
    base = keys(Design(["pima"], [CART], repeats=1))
    deeper = Strategy("cart", DecisionTreeClassifier(max_depth=3))
    assert keys(Design(["pima"], [deeper], repeats=1)) != base
    assert keys(Design(["pima"], [CART], repeats=1, seed=1)) != base
    assert keys(Design(["pima"], [CART], repeats=1, unsafe_cost=4.0)) != base
    pima = load_dataset("pima")
    data = pima.data.assign(**{"class": pima.target})
    data.iloc[0, 0] += 1
    changed = make_dataset("pima", data, target="class", unsafe_class=1)
    assert keys(Design([changed], [CART], repeats=1)) != base


def test_loaded_set_and_named_set_are_the_same_cells():
    assert keys(Design([load_dataset("pima")], [CART])) == keys(Design(["pima"], [CART]))


def test_seed_of_axes_is_a_fixed_number():
    # A change of this number would orphan every store that exists.
    assert derive_seed(0, dataset="pima", protocol="50/50", repeat=0) == 3318156794
    assert derive_seed(0, a="x", b=1) == derive_seed(0, b=1, a="x")
    assert derive_seed(0, a="x", b=1) != derive_seed(1, a="x", b=1)


def test_splits_are_stratified_and_disjoint():
    labels = np.repeat([0, 1], [70, 30])
    train, test = split_rows(labels, TrainTest(0.5, None, None, 0), seed=3)
    assert sorted([*train, *test]) == list(range(100))
    assert labels[train].sum() == 15
    again, _ = split_rows(labels, TrainTest(0.5, None, None, 0), seed=3)
    assert (again == train).all()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"datasets": []}, ValueError, "datasets is empty"),
        ({"datasets": "pima"}, TypeError, "must be a list"),
        ({"datasets": [3]}, TypeError, "got int"),
        ({"datasets": ["pima", "pima"]}, ValueError, "'pima' appears twice"),
        ({"strategies": [CART, CART]}, ValueError, "'cart' appears twice"),
        ({"strategies": ["lddt"]}, ValueError, "'ldt'"),
        ({"train_sizes": [1.0]}, ValueError, "train_sizes must lie between 0 and 1, got 1.0"),
        ({"train_sizes": 0.5}, TypeError, "must be a list"),
        ({"n_folds": 1}, ValueError, "n_folds must be a whole number of at least 2"),
        ({"repeats": 0}, ValueError, "repeats"),
        ({"repeats": 1.5}, ValueError, "repeats"),
        ({"repeats": True}, ValueError, "repeats must be a whole number"),
        ({"seed": -1}, ValueError, "seed"),
        ({"unsafe_cost": 0}, ValueError, "unsafe_cost"),
        ({"unsafe_cost": float("inf")}, ValueError, "unsafe_cost"),
        ({"unsafe_cost": "4"}, ValueError, "unsafe_cost"),
        ({"unsafe_cost": True}, ValueError, "unsafe_cost must be a positive number"),
        ({"train_sizes": [0.5, 0.5]}, ValueError, "the same twice in 50/50, 50/50"),
        ({"train_sizes": [0.3, 0.1 + 0.2]}, ValueError, "the same twice in 30/70, 30/70"),
    ],
)
def test_bad_designs_are_refused_at_once(options, error, said):
    with pytest.raises(error, match=said):
        Design(**{"datasets": ["pima"], "strategies": [CART], **options})


def test_unknown_data_set_offers_the_nearest():
    with pytest.raises(ValueError, match="'pima'"):
        Design(["pimaa"], [CART]).cells()


def test_unsafe_cost_needs_an_unsafe_class():
    with pytest.raises(ValueError, match="unsafe_cost: no data set has an unsafe class"):
        Design(["iris", "wine"], [CART], unsafe_cost=4).cells()
    assert Design(["iris", "pima"], [CART], repeats=1, unsafe_cost=4).cells()


def test_class_with_too_few_rows():
    bupa = load_dataset("bupa")
    frame = bupa.data.assign(label=["rare"] + ["common"] * (len(bupa.data) - 1))
    dataset = make_dataset("lopsided", frame, target="label")
    with pytest.raises(ValueError, match="class 'rare' has 1 row;"):
        Design([dataset], [CART]).cells()


def test_train_size_that_takes_no_row_of_a_class():
    with pytest.raises(ValueError, match=r"train_sizes: data set 'pima' cannot be split at 0\.001"):
        Design(["pima"], [CART], train_sizes=[0.5, 0.001]).cells()
    bupa = load_dataset("bupa")
    label = ["b"] * 3 + ["a", "c"] * ((len(bupa.data) - 3) // 2)
    dataset = make_dataset("rare", bupa.data.assign(label=label), target="label")
    with pytest.raises(ValueError, match="no training row is left of class b"):
        Design([dataset], [CART], train_sizes=[0.1]).cells()


def test_single_class():
    bupa = load_dataset("bupa")
    dataset = make_dataset("single", bupa.data.assign(label="same"), target="label")
    with pytest.raises(ValueError, match="has one class"):
        Design([dataset], [CART]).cells()
